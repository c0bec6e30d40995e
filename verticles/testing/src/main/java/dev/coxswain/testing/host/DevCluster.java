// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.host;

import dev.coxswain.testing.process.Commands;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The replicas of one {@code coxswain dev}.
 *
 * <p>Thread rule: one thread, but for {@link #destroy}; calls block.
 *
 * @param process the command itself
 * @param token for the admin API
 */
public record DevCluster(Process process, String token, List<Replica> replicas)
    implements AutoCloseable {
  private static final long CLOSE_SECONDS = 60;

  /**
   * One replica.
   *
   * @param admin where its admin API is
   * @param pid its process
   */
  public record Replica(String name, URI admin, long pid) {}

  /**
   * Prepares a command of an installed copy, with nothing in its environment that this process was
   * started with.
   */
  public static ProcessBuilder launcher(Path app, String... arguments) {
    List<String> command = new ArrayList<>(List.of(app.resolve("bin/coxswain").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("COXSWAIN_"));
    builder.environment().put("COXSWAIN_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    return builder;
  }

  /** Returns the jar or folder of a class, for the class path of a replica. */
  public static Path jarOf(Class<?> one) {
    try {
      return Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("a place on disk is a valid URI", e);
    }
  }

  /** Starts {@code coxswain dev --json} and returns when everything is ready. */
  public static DevCluster start(ProcessBuilder dev, Path log) throws IOException {
    Process process = dev.redirectError(log.toFile()).start();
    try {
      String line = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (line == null) {
        throw new IOException("coxswain dev ended; see " + log);
      }
      JsonObject ready = new JsonObject(line);
      List<Replica> replicas = new ArrayList<>();
      for (Object one : ready.getJsonArray("replicas", new JsonArray())) {
        JsonObject replica = (JsonObject) one;
        replicas.add(
            new Replica(
                replica.getString("name"),
                URI.create(replica.getString("admin")),
                replica.getLong("pid")));
      }
      return new DevCluster(process, ready.getString("adminToken"), List.copyOf(replicas));
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Ends it without waiting. */
  public void destroy() {
    process.destroy();
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    Commands.await(process, CLOSE_SECONDS);
  }
}
