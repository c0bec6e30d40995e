// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.network;

import dev.coxswain.bench.run.Commands;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This program started again, in namespaces for network, mounts and processes: what it makes is
 * gone when it ends, however it ends.
 */
public final class IsolatedRun {
  private static final List<String> UNSHARE =
      List.of("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc");

  /** The names of namespaces are files; these are seen by one run only. */
  private static final String OWN_NAMES =
      "mkdir -p /run/netns && mount -t tmpfs none /run/netns && exec \"$@\"";

  private IsolatedRun() {}

  /**
   * Checks that namespaces are allowed here.
   *
   * @throws IOException when they are not
   */
  public static void require() throws IOException {
    List<String> command = new ArrayList<>(isolated());
    command.add("true");
    try {
      Commands.run(command.toArray(String[]::new));
    } catch (IOException e) {
      throw new IOException(
          "network namespaces are not allowed here; --network=loopback runs what is possible"
              + " without",
          e);
    }
  }

  private static List<String> isolated() throws IOException {
    List<String> command = new ArrayList<>(UNSHARE);
    if (!Commands.run("id", "-u").equals("0")) {
      command.add("--map-root-user");
    }
    return command;
  }

  /**
   * Starts a main class with the JVM options and the class path of this process.
   *
   * @param namespaces whether it runs in namespaces, otherwise in a plain process
   * @param output where its output goes, or null for that of this process
   */
  public static Process start(
      String main, List<String> arguments, boolean namespaces, @Nullable File output)
      throws IOException {
    List<String> jvm = ManagementFactory.getRuntimeMXBean().getInputArguments();
    ProcessBuilder builder =
        Commands.java(jvm, System.getProperty("java.class.path"), main, arguments.toArray());
    if (namespaces) {
      builder.command().addAll(0, List.of("sh", "-c", OWN_NAMES, "sh"));
      builder.command().addAll(0, isolated());
    }
    ProcessBuilder.Redirect target =
        output == null ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.to(output);
    Process process = builder.redirectOutput(target).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }
}
