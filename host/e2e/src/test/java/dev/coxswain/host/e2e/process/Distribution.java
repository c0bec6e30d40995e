// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code coxswain dist} has made, and what its tests do with it. */
public final class Distribution {

  /** Classes of tests run at the same time, and a second {@code coxswain dist} is refused. */
  private static final Path LOCK = Path.of("..", "target", ".dist-tests.lock");

  /** Where the manifest for krew says that the archive of {@code ctl} is. */
  public static final String DOWNLOADS = "https://downloads.example.com/coxswain";

  private static final Duration MAKE_LIMIT = Duration.ofMinutes(9);
  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static @Nullable JsonNode made;
  private static @Nullable Untrained untrained;

  /**
   * What {@code coxswain dist --no-start-cache} has made.
   *
   * @param errors what it has printed on the standard error
   * @param startCache whether the image has one
   * @param options the file of arguments of its JVM
   */
  public record Untrained(String errors, boolean startCache, String options) {}

  private Distribution() {}

  /** Runs {@code coxswain dist} once for all classes; returns the line that it printed. */
  public static JsonNode made(Path folder) throws Exception {
    return exclusively(() -> onceMade(folder));
  }

  /** Unpacks the image of {@link #made}, which another class may write again. */
  public static UnpackedImage image(Path folder) throws Exception {
    return exclusively(
        () -> new UnpackedImage(Path.of(onceMade(folder).path("image").asText()), folder));
  }

  /** Unpacks the archive of {@code ctl} of {@link #made}; returns its only folder. */
  public static Path ctl(Path folder) throws Exception {
    return exclusively(() -> {
      Path archive = Path.of(onceMade(folder).path("ctl").asText());
      program(folder, "tar", "-xzf", archive.toString());
      return folder.resolve(archive.getFileName().toString().replaceFirst("\\.tar\\.gz$", ""));
    });
  }

  /** Returns what was made without a start cache, before all that the others use. */
  public static Untrained untrained(Path folder) throws Exception {
    return exclusively(() -> {
      onceMade(folder);
      return Objects.requireNonNull(untrained);
    });
  }

  private static JsonNode onceMade(Path folder) throws Exception {
    if (made == null) {
      untrained = makeUntrained(folder);
      made = make(folder, Map.of());
    }
    return made;
  }

  private static Untrained makeUntrained(Path folder) throws Exception {
    try (Launcher run = Launcher.start(folder, Map.of(), "dist", "--no-start-cache", "--json")) {
      assertThat(run.exitCode(MAKE_LIMIT)).as(run.errors()).isZero();
      UnpackedImage image =
          new UnpackedImage(
              Path.of(JSON.readTree(run.output()).path("image").asText()),
              Files.createTempDirectory(folder, "untrained"));
      return new Untrained(
          run.errors(),
          Files.exists(image.root().resolve("app/start.aot")),
          Files.readString(image.root().resolve("app/run.options")));
    }
  }

  /** Does work with {@code coxswain dist} while no other class of tests does, nor another build. */
  public static synchronized <T> T exclusively(Callable<T> work) throws Exception {
    try (FileChannel file =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      return work.call();
    }
  }

  /** Runs the command and returns the line that it printed; called {@link #exclusively}. */
  public static JsonNode make(Path folder, Map<String, String> environment) throws Exception {
    try (Launcher run =
        Launcher.start(folder, environment, "dist", "--json", "--download-url=" + DOWNLOADS)) {
      assertThat(run.exitCode(MAKE_LIMIT)).as(run.errors()).isZero();
      assertThat(run.output()).hasLineCount(1);
      return JSON.readTree(run.output());
    }
  }

  /** Runs another program to its end. */
  public static String program(Path folder, String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("%s: %s", List.of(command), output).isZero();
    return output;
  }

  /** Writes a jar with the controller that greets. */
  public static Path controllers(Path folder, Path jar) throws IOException {
    return controllers(folder, jar, GreetingController.class);
  }

  /** Writes a jar with a controller. */
  public static Path controllers(Path folder, Path jar, Class<?> definition) throws IOException {
    Path classes = Plugins.folder(folder, definition, List.of(definition.getName()));
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(jar));
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
      }
    }
    return jar;
  }

  /** Returns variables that leave the choice of ports to the system. */
  public static Map<String, String> freePorts() {
    Map<String, String> environment = new HashMap<>();
    for (String key : List.of("ADMIN", "METRICS", "HEALTH")) {
      environment.put("COXSWAIN_" + key + "__PORT", "0");
    }
    return environment;
  }

  /** Returns these variables, and those that leave the choice of ports to the system. */
  public static Map<String, String> withFreePorts(Map<String, String> more) {
    Map<String, String> environment = freePorts();
    environment.putAll(more);
    return environment;
  }

  /** Waits until the controller of a run has written its greeting. */
  public static void awaitGreeting(Launcher run, EmbeddedApiServer server) throws Exception {
    awaitGreeting(run, server, "none");
  }

  /** Waits for the same at a server that wants a token. */
  public static void awaitGreeting(Launcher run, EmbeddedApiServer server, String token)
      throws Exception {
    URI object = URI.create(server.url() + "/api/v1/namespaces/default/configmaps/world");
    HttpRequest request =
        HttpRequest.newBuilder(object).header("Authorization", "Bearer " + token).build();
    long end = System.nanoTime() + LIMIT.toNanos();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (true) {
        String seen = http.send(request, BodyHandlers.ofString()).body();
        if (seen.contains(GreetingController.GREETING)) {
          return;
        }
        assertThat(run.handle().isAlive()).as(run.errors() + run.output()).isTrue();
        assertThat(System.nanoTime() - end)
            .as("not reconciled: %s%n%s%s", seen, run.output(), run.errors())
            .isNegative();
        LockSupport.parkNanos(20_000_000);
      }
    }
  }
}
