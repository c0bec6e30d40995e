// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Command lines of this program in another JVM, with the same JDK, flags and class path.
 *
 * <p>Thread rule: stateless.
 */
public final class HostJvm {

  /** The property, set by the launcher, with the file of the flags. */
  private static final String OPTIONS = "coxswain.jvm.options";

  /** The property, set by the launcher, with the jars of a training run besides the class path. */
  public static final String DEVELOPMENT_JARS = "coxswain.development.jars";

  private static final String MAIN = "dev.coxswain.host.internal.cli.Main";

  private HostJvm() {}

  /** Returns the file of the flags, in the folder of the launcher; null without a launcher. */
  public static @Nullable Path options() {
    String options = System.getProperty(OPTIONS);
    return options == null ? null : Path.of(options);
  }

  /** Returns the class path of this process. */
  public static String classPath() {
    return System.getProperty("java.class.path", "");
  }

  /**
   * Returns the command line of a process that uses the start cache if this one does.
   *
   * @param classPath the class path of that process
   * @param arguments the command and its arguments
   */
  public static List<String> command(String classPath, List<String> arguments) {
    Path cache = StartCache.file();
    return command(cache == null ? List.of() : StartCache.use(cache), classPath, arguments);
  }

  /**
   * Returns the command line of a process.
   *
   * @param flags more flags for the JVM, before those of the user
   * @param classPath the class path of the process
   * @param arguments the command and its arguments
   */
  static List<String> command(List<String> flags, String classPath, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String options = System.getProperty(OPTIONS);
    if (options != null) {
      command.add("@" + options);
      command.add("-D" + OPTIONS + "=" + options);
    }
    String development = System.getProperty(DEVELOPMENT_JARS);
    if (development != null) {
      command.add("-D" + DEVELOPMENT_JARS + "=" + development);
    }
    command.addAll(flags);
    String more = System.getenv("COXSWAIN_JAVA_OPTS");
    if (more != null && !more.isBlank()) {
      command.addAll(List.of(more.strip().split("\\s+")));
    }
    command.addAll(List.of("-cp", classPath, MAIN));
    command.addAll(arguments);
    return command;
  }
}
