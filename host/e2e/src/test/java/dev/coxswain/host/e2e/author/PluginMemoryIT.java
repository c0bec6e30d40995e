// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.testing.PluginJars;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process with the heap of the chart, which ends when its memory does: plug-ins that are too large
 * are failed plug-ins, now and after a restart.
 */
@SuppressWarnings("NullAway.Init") // its test begins with them
@Order(2) // the next longest
class PluginMemoryIT {

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** 60 % of 512 MiB, as {@code jvm.options} and the chart have it. */
  private static final String HEAP = "-Xmx307m";

  private static final int MEBIBYTE = 1 << 20;
  private static final String MANIFEST = "META-INF/MANIFEST.MF";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private PluginJars jars;
  private Path plugins;
  private String admin = "";

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void pluginsThatAreTooLarge_fail_andTheProcessAndTheOthersGoOn_alsoAfterARestart()
      throws Exception {
    jars = new PluginJars(folder);
    plugins = Files.createDirectories(folder.resolve("plugins"));
    jars.write(jar("small"), plugin("small"));
    try (Launcher run = run()) {
      awaitPhase(run, "small", "running");
      // What deflates well takes little memory, whatever its size unpacked.
      large("zeros", "data.bin", 100, new byte[MEBIBYTE]);
      awaitPhase(run, "zeros", "running");
      byte[] random = new byte[MEBIBYTE];
      new Random(19).nextBytes(random); // the same in each megabyte, farther away than zlib looks
      large("random", "data.bin", 100, random);
      awaitPhase(run, "random", "failed");
      assertThat(error("random")).contains("MiB of memory", "heap");
      large("bomb", MANIFEST, 180, new byte[MEBIBYTE]);
      awaitPhase(run, "bomb", "failed");
      assertThat(error("bomb")).contains("larger than 128 MiB");
      // Each of them fits, all together do not.
      for (int i = 0; i < 4; i++) {
        large("part" + i, "data.bin", 30, random);
      }
      List<String> settled = List.of("failed", "failed", "running", "running");
      await(run, () -> phases("part").sorted().toList().equals(settled));
      assertRunning(run);
    }
    try (Launcher again = run()) {
      awaitPhase(again, "small", "running");
      awaitPhase(again, "zeros", "running");
      awaitPhase(again, "random", "failed");
      awaitPhase(again, "bomb", "failed");
      await(again, () -> phases("part").noneMatch(phase -> phase.equals("loading")));
      assertRunning(again);
    }
  }

  private void assertRunning(Launcher run) throws Exception {
    assertThat(phase("small")).isEqualTo("running");
    assertThat(run.handle().isAlive()).as(run.output()).isTrue();
    run.terminate();
    assertThat(run.exitCode()).as(run.errors()).isZero();
  }

  private Path jar(String name) {
    return plugins.resolve(name + ".jar");
  }

  private Map<String, byte[]> plugin(String controller) {
    return jars.plugin(List.of("Small"), PluginJars.definition("Small", controller));
  }

  /** Writes a plug-in with one large entry, which is its first one. */
  private void large(String name, String path, int mebibytes, byte[] mebibyte) throws IOException {
    Path written = folder.resolve(name + ".part");
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(written));
        JarOutputStream out = new JarOutputStream(file)) {
      // What does not get smaller would only take its time.
      boolean zeros = mebibyte[0] == 0 && mebibyte[1] == 0;
      out.setLevel(zeros ? Deflater.BEST_SPEED : Deflater.NO_COMPRESSION);
      out.putNextEntry(new JarEntry(path));
      for (int i = 0; i < mebibytes; i++) {
        out.write(mebibyte);
      }
      for (Map.Entry<String, byte[]> entry : plugin(name).entrySet()) {
        out.putNextEntry(new JarEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
    Files.move(written, jar(name));
  }

  private Launcher run() throws Exception {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    Map<String, String> environment = new HashMap<>();
    environment.put("COXSWAIN_JAVA_OPTS", HEAP + " -Djava.io.tmpdir=" + folder);
    Launcher run =
        Launcher.start(
            folder,
            environment,
            "run",
            "--kubeconfig",
            kubeconfig.toString(),
            "--set",
            "plugins.directory=" + plugins,
            "--set",
            "plugins.scanInterval=200ms",
            "--set",
            "admin.auth.mode=none",
            "--set",
            "admin.port=0",
            "--set",
            "health.port=0",
            "--set",
            "metrics.port=0",
            "--set",
            "sharedLimiter.enabled=false");
    Pattern line = Pattern.compile("admin API listening .*port=\"?(\\d+)");
    await(run, () -> line.matcher(run.output()).find());
    Matcher port = line.matcher(run.output());
    assertThat(port.find()).isTrue();
    admin = "http://127.0.0.1:" + port.group(1) + "/api/v1/plugins";
    return run;
  }

  private JsonNode get(String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
  }

  private Stream<String> phases(String prefix) throws Exception {
    Stream.Builder<String> phases = Stream.builder();
    for (JsonNode plugin : get(admin).path("items")) {
      if (plugin.path("name").asText().startsWith(prefix)) {
        phases.add(plugin.path("phase").asText());
      }
    }
    return phases.build();
  }

  private String phase(String plugin) throws Exception {
    return phases(plugin).findFirst().orElse("");
  }

  private String error(String plugin) throws Exception {
    return get(admin + "/" + plugin).path("error").asText();
  }

  private void awaitPhase(Launcher run, String plugin, String phase) throws Exception {
    await(run, () -> phase(plugin).equals(phase));
  }

  private static void await(Launcher run, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      assertThat(run.handle().isAlive()).as(run.output() + run.errors()).isTrue();
      assertThat(System.nanoTime() - end).as(run.output() + run.errors()).isNegative();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }
}
