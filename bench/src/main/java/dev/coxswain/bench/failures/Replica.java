// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.SteppedClock;
import dev.coxswain.bench.run.Commands;
import dev.coxswain.bench.run.DevCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One process of the real host.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class Replica {
  static final int METRICS_PORT = 8080;
  static final int HEALTH_PORT = 8081;
  static final int ADMIN_PORT = 8090;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final int index;
  private final String address;
  private final Process process;
  private final Path log;
  private boolean frozen;

  private Replica(int index, String address, Process process, Path log) {
    this.index = index;
    this.address = address;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process.
   *
   * @param number which process of this replica it is, from 1
   * @param clock the clock that the process is to be given
   */
  static Replica start(
      Setup setup, Network network, Path kubeconfig, int index, int number, SteppedClock clock)
      throws IOException {
    Path folder = setup.folder();
    String name = name(index) + "-" + number;
    Path config =
        Files.writeString(
            folder.resolve("config-" + name + ".yaml"),
            setup.configuration(network, index, Starts.file(folder, name(index), number)));
    Path log = folder.resolve("log-" + name + ".json");
    ProcessBuilder builder =
        DevCluster.launcher(
                setup.app(),
                "run",
                "--config",
                config.toString(),
                "--kubeconfig",
                kubeconfig.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.command().addAll(0, network.prefix(index));
    builder.environment().put("COXSWAIN_JAVA_OPTS", "-Xmx256m");
    builder.environment().put("COXSWAIN_CLASSPATH", DevCluster.jar().toString());
    clock.applyTo(builder.environment());
    return new Replica(index, network.controlAddress(index), builder.start(), log);
  }

  static String name(int index) {
    return "r" + index;
  }

  int index() {
    return index;
  }

  String name() {
    return name(index);
  }

  Path log() {
    return log;
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Returns whether it has started everything, as it says itself. */
  boolean ready(HttpClient http) {
    return !frozen && get(http, HEALTH_PORT, "/readyz").status() == 200;
  }

  /** Returns its metrics, or nothing when it does not answer. */
  String metrics(HttpClient http) {
    return frozen ? "" : get(http, METRICS_PORT, "/metrics").body();
  }

  /**
   * Runs a command of {@code coxswain ctl} against its admin API.
   *
   * @throws IOException when it fails; the message holds the output
   */
  void ctl(Setup setup, Network network, String... arguments) throws IOException {
    ProcessBuilder command = DevCluster.launcher(setup.app(), "ctl");
    command.command().addAll(0, network.prefix(index));
    command.command().addAll(List.of(arguments));
    command.command().add("--server=http://" + network.adminAddress(index) + ":" + ADMIN_PORT);
    command.environment().put("COXSWAIN_TOKEN", "none"); // this admin API takes anything
    Commands.output(command.redirectErrorStream(true));
  }

  /** As {@code kill -9}. */
  void kill() throws IOException {
    process.destroyForcibly();
    awaitEnd(Duration.ofSeconds(30));
  }

  /** Stops it in order and returns its exit code. */
  int stop() throws IOException {
    process.destroy();
    return awaitEnd(Duration.ofSeconds(90));
  }

  /** Has every thread of it stand still. */
  void freeze() throws IOException {
    Commands.run("kill", "-STOP", Long.toString(process.pid()));
    frozen = true;
  }

  void thaw() throws IOException {
    Commands.run("kill", "-CONT", Long.toString(process.pid()));
    frozen = false;
  }

  private int awaitEnd(Duration limit) throws IOException {
    if (!Commands.await(process, limit.toSeconds())) {
      throw new IOException(name() + " did not end within " + limit.toSeconds() + " s; see " + log);
    }
    return process.exitValue();
  }

  /** Ends it whatever it does, without waiting. */
  void destroy() {
    process.destroyForcibly();
  }

  private record Answer(int status, String body) {}

  private Answer get(HttpClient http, int port, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + path))
            .timeout(ANSWER_LIMIT)
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (IOException e) {
      return new Answer(0, ""); // it is not there, or cut off
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer(0, "");
    }
  }
}
