// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.part;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The replicas of one {@code coxswain dev}.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class DevCluster implements AutoCloseable {

  /**
   * One replica.
   *
   * @param admin where its admin API is
   * @param probe what the watch of its event loops writes
   */
  public record Replica(String name, URI admin, Path probe) {}

  /** More than the command itself allows. */
  private static final long WARM_UP_MINUTES = 10;

  private final Process process;
  private final String token;
  private final List<Replica> replicas;

  private DevCluster(Process process, String token, List<Replica> replicas) {
    this.process = process;
    this.token = token;
    this.replicas = replicas;
  }

  /**
   * Makes the start cache, as the recipe of an image does. The launcher finds it afterwards, since
   * jars, JDK and flags are the same then; what is behind the class path, as our jar, does not
   * matter.
   */
  public static void warmUp(Options options) throws IOException {
    Path log = options.out().resolve("warm-up.log");
    Process process =
        launcher(options, "warm-up").redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(WARM_UP_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException("the start cache was not made; see " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroy();
    }
  }

  /** What every start has in common, so that a cache of one is that of the others. */
  private static ProcessBuilder launcher(Options options, String... arguments) {
    List<String> command = new ArrayList<>(List.of(options.launcher().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("COXSWAIN_"));
    builder.environment().put("COXSWAIN_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    builder.environment().put("COXSWAIN_JAVA_OPTS", "-Xmx768m");
    builder.environment().put("COXSWAIN_CLASSPATH", options.jar().toString());
    return builder;
  }

  /** Starts it and returns when everything is ready. */
  public static DevCluster start(Options options) throws IOException {
    Path folder = options.out();
    Path config = Files.writeString(folder.resolve("config.yaml"), configuration(options));
    Process process =
        launcher(
                options,
                "dev",
                "--json",
                "--ports",
                "auto",
                "--replicas",
                Integer.toString(options.replicas()),
                "--config",
                config.toString())
            .redirectError(folder.resolve("log").toFile())
            .start();
    try {
      BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
      String line = lines.readLine();
      if (line == null) {
        throw new IOException("coxswain dev ended; see " + folder.resolve("log"));
      }
      JsonObject ready = new JsonObject(line);
      List<Replica> replicas = new ArrayList<>();
      for (Object one : ready.getJsonArray("replicas", new JsonArray())) {
        JsonObject replica = (JsonObject) one;
        replicas.add(
            new Replica(
                replica.getString("name"),
                URI.create(replica.getString("admin")),
                folder.resolve("probe-" + replica.getLong("pid"))));
      }
      return new DevCluster(process, ready.getString("adminToken"), List.copyOf(replicas));
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static String configuration(Options options) {
    return """
    apiVersion: config.coxswain.dev/v1alpha1
    kind: CoxswainConfiguration
    logging: {format: json, level: warn}
    controllers:
      config-mirror: {enabled: false}
      cron: {enabled: false}
      demo: {enabled: false}
      parked:
        ownership: everywhere
        config: {keys: %d}
      busy:
        ownership: everywhere
        concurrency: 16
        config: {keys: %d, folder: "%s"}
    """
        .formatted(options.itemsOfReplica(), options.busy(), options.out());
  }

  public List<Replica> replicas() {
    return replicas;
  }

  /** An API for each replica, in their order. */
  public List<AdminCalls> calls() {
    return replicas.stream().map(one -> new AdminCalls(one.admin(), token)).toList();
  }

  /** Ends it without waiting. */
  public void destroy() {
    process.destroy();
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
