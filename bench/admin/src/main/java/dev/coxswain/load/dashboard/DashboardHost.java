// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * One host of {@code coxswain dev} with many controllers and one long queue.
 *
 * @param process the session
 * @param admin the address of the admin API
 * @param token who may do everything there
 */
record DashboardHost(Process process, String admin, String token) implements AutoCloseable {

  static DashboardHost start(Path launcher, Path jar, Path out, int controllers, int items)
      throws IOException {
    Path classes = out.resolve("classes");
    ManyClasses.write(classes, controllers);
    Path config =
        Files.writeString(
            out.resolve("config.yaml"),
            """
            apiVersion: config.coxswain.dev/v1alpha1
            kind: CoxswainConfiguration
            logging: {format: json, level: warn}
            controllers:
              busy: {enabled: false}
              parked:
                ownership: everywhere
                config: {keys: %d}
            """
                .formatted(items));
    ProcessBuilder builder =
        new ProcessBuilder(
                launcher.toString(),
                "dev",
                "--json",
                "--ports",
                "auto",
                "--config",
                config.toString())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectError(out.resolve("log").toFile());
    builder.environment().keySet().removeIf(key -> key.startsWith("COXSWAIN_"));
    builder.environment().put("COXSWAIN_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    builder.environment().put("COXSWAIN_JAVA_OPTS", "-Xmx1g");
    builder.environment().put("COXSWAIN_CLASSPATH", jar + ":" + classes);
    Process process = builder.start();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    String line = lines.readLine();
    if (line == null) {
      process.destroyForcibly();
      throw new IOException("coxswain dev ended; see " + out.resolve("log"));
    }
    JsonObject ready = new JsonObject(line);
    return new DashboardHost(
        process,
        ready.getJsonArray("replicas").getJsonObject(0).getString("admin"),
        ready.getString("adminToken"));
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
