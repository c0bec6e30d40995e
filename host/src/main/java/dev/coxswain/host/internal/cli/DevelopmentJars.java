// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.host.internal.jvm.HostJvm;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The jars of development sessions: embedded API server, examples and the {@code dev} command. Only
 * {@code dev} has them on its class path. A training run loads them with a class loader of their
 * own, because the start cache that it writes must fit the class path of {@code run}; so does the
 * compilation of {@code run FILE.java}, because the host must not find the examples.
 */
final class DevelopmentJars {

  private DevelopmentJars() {}

  /** Returns a command in these jars. */
  static AddedCommand command(String name) throws HostException {
    for (AddedCommand command : ServiceLoader.load(AddedCommand.class, loader())) {
      if (command.name().equals(name)) {
        return command;
      }
    }
    throw missing();
  }

  /** Fails when the launcher has not found them. */
  static void require() throws HostException {
    if (paths() == null) {
      throw missing();
    }
  }

  private static HostException missing() {
    return new HostException(
        "this copy of Coxswain has no folder \"dev\" beside \"lib\", with the API server and"
            + " the examples of development sessions, and the compiler of source files");
  }

  private static @Nullable String paths() {
    return System.getProperty(HostJvm.DEVELOPMENT_JARS);
  }

  private static ClassLoader loader() {
    ClassLoader ours = DevelopmentJars.class.getClassLoader();
    String paths = paths();
    if (paths == null) {
      return ours;
    }
    List<URL> jars = new ArrayList<>();
    for (String jar : paths.split(File.pathSeparator, -1)) {
      try {
        jars.add(Path.of(jar).toUri().toURL());
      } catch (MalformedURLException e) {
        throw new IllegalStateException("the address of a file is always one", e);
      }
    }
    return new URLClassLoader(jars.toArray(URL[]::new), ours);
  }
}
