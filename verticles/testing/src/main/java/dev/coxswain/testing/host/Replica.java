// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.host;

import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.process.ProcessFigures;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One process of the real host.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class Replica {
  public static final int METRICS_PORT = 8080;
  public static final int HEALTH_PORT = 8081;
  public static final int ADMIN_PORT = 8090;

  /** The heap of every replica, as an option of the JVM. */
  public static final String HEAP_LIMIT = "-Xmx256m";

  private final int index;
  private final String processName;
  private final String address;
  private final Process process;
  private final Path log;
  private boolean frozen;

  private Replica(int index, String processName, String address, Process process, Path log) {
    this.index = index;
    this.processName = processName;
    this.address = address;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process.
   *
   * @param process its name, such as {@code r0-1}
   * @param configuration the text of its configuration file
   * @param environment more variables of the process
   */
  public static Replica start(
      Path app,
      Path folder,
      Network network,
      int index,
      String process,
      String configuration,
      Path kubeconfig,
      Map<String, String> environment)
      throws IOException {
    Path config = Files.writeString(folder.resolve("config-" + process + ".yaml"), configuration);
    Path log = folder.resolve("log-" + process + ".json");
    ProcessBuilder builder =
        DevCluster.launcher(app, "run", "--config=" + config, "--kubeconfig=" + kubeconfig)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.command().addAll(0, network.prefix(index));
    builder.environment().put("COXSWAIN_JAVA_OPTS", HEAP_LIMIT);
    builder.environment().putAll(environment);
    return new Replica(index, process, network.controlAddress(index), builder.start(), log);
  }

  public static String name(int index) {
    return "r" + index;
  }

  public int index() {
    return index;
  }

  public String name() {
    return name(index);
  }

  /** Returns the name of this process of the replica, such as {@code r0-1}. */
  public String processName() {
    return processName;
  }

  public ProcessFigures figures() {
    return new ProcessFigures(process.pid());
  }

  public Path log() {
    return log;
  }

  public boolean alive() {
    return process.isAlive();
  }

  /** Returns whether it reports that it is ready. */
  public boolean ready() {
    return !frozen && calls(HEALTH_PORT).find("/readyz").isPresent();
  }

  /** Returns its metrics, or nothing when it does not answer. */
  public String metrics() {
    return frozen ? "" : calls(METRICS_PORT).find("/metrics").orElse("");
  }

  private HttpCalls calls(int port) {
    return new HttpCalls(URI.create("http://" + address + ":" + port));
  }

  /**
   * Runs a command of {@code coxswain ctl} against its admin API.
   *
   * @throws IOException when it fails; the message holds the output
   */
  public void ctl(Path app, Network network, String... arguments) throws IOException {
    ProcessBuilder command = DevCluster.launcher(app, "ctl");
    command.command().addAll(0, network.prefix(index));
    command.command().addAll(List.of(arguments));
    command.command().add("--server=http://" + network.adminAddress(index) + ":" + ADMIN_PORT);
    command.environment().put("COXSWAIN_TOKEN", "none"); // this admin API takes anything
    Commands.output(command.redirectErrorStream(true));
  }

  /** As {@code kill -9}. */
  public void kill() throws IOException {
    destroy();
    awaitEnd(Duration.ofSeconds(30));
  }

  /** Has it stop in order, without waiting. */
  public void terminate() {
    process.destroy();
  }

  /** Stops it in order and returns its exit code. */
  public int stop() throws IOException {
    terminate();
    awaitEnd(Duration.ofSeconds(90));
    return process.exitValue();
  }

  /** Stops all threads of the process. */
  public void freeze() throws IOException {
    Commands.run("kill", "-STOP", Long.toString(process.pid()));
    frozen = true;
  }

  public void thaw() throws IOException {
    Commands.run("kill", "-CONT", Long.toString(process.pid()));
    frozen = false;
  }

  private void awaitEnd(Duration limit) throws IOException {
    if (!Commands.await(process, limit.toSeconds())) {
      throw new IOException(name() + " did not end within " + limit.toSeconds() + " s; see " + log);
    }
  }

  /** Kills it without waiting. */
  public void destroy() {
    process.destroyForcibly();
  }
}
