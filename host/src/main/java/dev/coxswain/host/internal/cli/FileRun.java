// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.config.reader.KeyListener;
import dev.coxswain.host.internal.controllers.Definitions;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code coxswain run FILE.java} adds: the classes of one source file, and a configuration for one
 * person on one machine. The compiler is not part of production; {@link DevelopmentJars} has it.
 *
 * <p>Thread rule: the main thread; {@link #close} on any.
 */
public final class FileRun implements AutoCloseable {

  /** The folder with the classes, in that of the run. */
  public static final String CLASSES = "classes";

  /** The name of the file with the token of the admin API. */
  public static final String TOKEN = "admin-token";

  /** The name of the file with the hash of the token, as the host reads it. */
  public static final String TOKENS = "admin-tokens.yaml";

  private static final String SERVICES =
      "META-INF/services/" + ControllerDefinition.class.getName();
  private static final String FOLDER_PREFIX =
      SessionFile.FOLDER_PREFIX; // "dev" deletes abandoned ones
  private static final String SUFFIX = ".java";

  /** Room for what is added to it in the names of objects, which have 63 characters. */
  private static final int MAX_NAME = 40;

  private final Path source;
  private final Path folder;
  private final URLClassLoader classes;

  private FileRun(Path source, Path folder, URLClassLoader classes) {
    this.source = source;
    this.folder = folder;
    this.classes = classes;
  }

  /**
   * Compiles the file that a command line names; returns null when it names none.
   *
   * @param words the arguments that are not flags
   * @throws CommandException when they are not one file with Java source
   * @throws HostException when it does not compile, or has no controller; with its lines
   */
  static @Nullable FileRun of(List<String> words) throws HostException {
    if (words.isEmpty()) {
      return null;
    }
    String name = words.getFirst();
    if (name.endsWith(".kt")) {
      throw new CommandException(
          "\"%s\" is Kotlin, which only Maven compiles: make a project with coxswain new NAME --kotlin"
              .formatted(name));
    }
    if (words.size() > 1 || !name.endsWith(SUFFIX)) {
      throw new CommandException(
          "unexpected argument \"%s\"; see coxswain run --help".formatted(words.getLast()));
    }
    Path source = Path.of(name).toAbsolutePath().normalize();
    if (!Files.isRegularFile(source)) {
      throw new CommandException("there is no file \"%s\"".formatted(name));
    }
    Path folder = null;
    try {
      folder = Files.createTempDirectory(FOLDER_PREFIX);
      DevelopmentJars.command(CommandLine.PREPARE_FILE)
          .run(List.of(source.toString(), folder.toString()));
      URL[] classes = {folder.resolve(CLASSES).toUri().toURL()};
      return new FileRun(
          source, folder, new URLClassLoader(classes, FileRun.class.getClassLoader()));
    } catch (IOException | HostException | ConfigurationException | RuntimeException e) {
      delete(folder);
      if (e instanceof HostException failure) {
        throw failure;
      }
      throw new HostException("%s cannot be run: %s".formatted(source.getFileName(), e), e);
    }
  }

  /**
   * Returns the configuration when the user names no file: the defaults, with free ports, a token of
   * its own for the admin API, and Leases of its own, so that it never takes slots of a host in the cluster.
   *
   * @param settings {@code path=value} flags
   */
  CoxswainConfiguration configuration(List<String> settings) throws ConfigurationException {
    Map<String, ?> off = Map.of("enabled", false);
    Map<String, ?> free = Map.of("port", 0);
    Map<String, ?> auth =
        Map.of("mode", "tokenFile", "tokenFile", folder.resolve(TOKENS).toString());
    Map<String, ?> all =
        Map.of(
            "apiVersion",
            CoxswainConfiguration.API_VERSION,
            "kind",
            CoxswainConfiguration.KIND,
            "admin",
            Map.of("port", 0, "auth", auth),
            "metrics",
            free,
            "health",
            free,
            "membership",
            Map.of("name", "coxswain-" + name()),
            "changes",
            Map.of("pauses", off, "history", off, "events", off));
    try {
      return ConfigurationLoader.read(
          Path.of("coxswain run"),
          new ObjectMapper().writeValueAsBytes(all),
          System.getenv(),
          settings,
          KeyListener.NONE);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a map of plain values is always writable", e);
    }
  }

  /** Returns the name of the file as part of the name of an object, such as {@code order-mailer}. */
  private String name() {
    String file = String.valueOf(source.getFileName());
    String name =
        file.substring(0, file.length() - SUFFIX.length())
            .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-");
    String cut = name.substring(0, Math.min(MAX_NAME, name.length())).replaceAll("^-+|-+$", "");
    return cut.isEmpty() ? "file" : cut;
  }

  /** Returns the kubeconfig that kubectl would use, or null where there is none. */
  static @Nullable String kubeconfig() {
    String variable = System.getenv("KUBECONFIG");
    if (variable != null && !variable.isBlank()) {
      return variable;
    }
    Path usual = Path.of(System.getProperty("user.home"), ".kube", "config");
    return Files.exists(usual) ? usual.toString() : null;
  }

  /**
   * Creates the definitions of the file.
   *
   * @throws HostException when one cannot be created; with its line
   */
  List<ControllerDefinition> definitions() throws HostException {
    List<ControllerDefinition> all = new ArrayList<>();
    try {
      for (String name : Files.readAllLines(folder.resolve(CLASSES).resolve(SERVICES))) {
        all.addAll(definitions(name));
      }
    } catch (IOException e) {
      throw new HostException("the classes of %s cannot be read: %s".formatted(source, e), e);
    }
    return all;
  }

  private List<ControllerDefinition> definitions(String name) throws HostException {
    Throwable failure;
    try {
      Object made = Class.forName(name, true, classes).getConstructor().newInstance();
      return Definitions.yielded((ControllerDefinition) made);
    } catch (InvocationTargetException e) {
      failure = e.getCause() == null ? e : e.getCause();
    } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
      failure = e instanceof ExceptionInInitializerError && e.getCause() != null ? e.getCause() : e;
    }
    String file = String.valueOf(source.getFileName());
    String line =
        Stream.of(failure.getStackTrace())
            .filter(frame -> file.equals(frame.getFileName()) && frame.getLineNumber() > 0)
            .findFirst()
            .map(frame -> ":" + frame.getLineNumber())
            .orElse("");
    throw new HostException(
        "%s%s: the controller %s cannot be created: %s".formatted(file, line, name, failure),
        failure);
  }

  /**
   * Returns what the user needs to look at the running host: one or more lines.
   *
   * @param admin the address of the admin API
   * @param configuration the configuration in use: it may have another way to sign in
   */
  String started(String admin, CoxswainConfiguration configuration) throws HostException {
    String kubeconfig = configuration.kubernetes().kubeconfig();
    String text =
        source.getFileName() + " runs with " + (kubeconfig == null ? "this pod" : kubeconfig);
    if (!folder.resolve(TOKENS).equals(path(configuration.admin().auth().tokenFile()))) {
      return text + "\nadmin API " + admin;
    }
    try {
      String token = Files.readString(folder.resolve(TOKEN), StandardCharsets.UTF_8).strip();
      return "%s\ndashboard %s/dashboard/#token=%s\nexport COXSWAIN_SERVER=%s COXSWAIN_TOKEN=%s    # for coxswain ctl in another terminal"
          .formatted(text, admin, token, admin, token);
    } catch (IOException e) {
      throw new HostException("the token of the admin API cannot be read: " + e, e);
    }
  }

  private static @Nullable Path path(@Nullable String text) {
    return text == null ? null : Path.of(text);
  }

  /** Deletes the folder; the classes cannot be used any more. */
  @Override
  public void close() {
    try {
      classes.close();
    } catch (IOException e) {
      // Only a folder is open, of which nothing is kept.
    }
    delete(folder);
  }

  private static void delete(@Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.err.println("coxswain: cannot delete " + folder + ": " + e.getMessage());
    }
  }
}
