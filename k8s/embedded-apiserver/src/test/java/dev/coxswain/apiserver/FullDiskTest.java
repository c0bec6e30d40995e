// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A disk that takes no more: a real process whose files may not grow beyond a limit of the
 * operating system. The first write that does not fit is refused, and so is every later one; what
 * was acknowledged before is there when a server without the limit goes on.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
final class FullDiskTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int LARGEST_BLOCKS = 440; // of 512 bytes
  private static final int START_MINUTES = 5;
  private static final String VALUE = "v".repeat(1_000);

  @TempDir Path folder;

  /** Runs in the limited process. */
  static final class Target {
    private Target() {}

    public static void main(String[] arguments) throws Exception {
      EmbeddedApiServerOptions options =
          EmbeddedApiServerOptions.defaults()
              .withDataDirectory(Path.of(arguments[0]))
              .withSmallestLog(Long.parseLong(arguments[1]));
      EmbeddedApiServer server =
          EmbeddedApiServer.start(Vertx.vertx(), options).await(START_MINUTES, TimeUnit.MINUTES);
      System.out.println(server.url());
      int end = System.in.read(); // ends with the parent
      System.exit(end < 0 ? 0 : 1);
    }
  }

  @ParameterizedTest(name = "{1} does not fit")
  @CsvSource({"16000000, log", "10000, snapshot"})
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // a process starts, on a busy machine slowly
  void whatDoesNotFit_isRefused_andWhatWasAcknowledgedStays(long smallestLog, String subject)
      throws Exception {
    Process process = limited(smallestLog);
    List<String> acknowledged = new ArrayList<>();
    try (Http http = new Http(url(process))) {
      Http.Answer answer = http.configMap("first", "");
      for (int i = 0; answer.status() == 201; i++) {
        assertThat(i).as("writes before the limit, %s", subject).isLessThan(2_000);
        String name = "map-" + i;
        answer =
            http.post(
                MAPS,
                "{\"metadata\":{\"name\":\"" + name + "\"},\"data\":{\"v\":\"" + VALUE + "\"}}");
        if (answer.status() == 201) {
          acknowledged.add(name);
        }
      }
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.body().path("message").asText())
          .contains("data directory " + folder + " cannot be written: ");
      assertThat(http.delete(MAPS + "/map-0").status()).as("a later write").isEqualTo(500);
      assertThat(http.get(MAPS + "/map-0").status()).as("a read").isEqualTo(200);
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(acknowledged).as(subject).hasSizeGreaterThan(50).allMatch(here()::contains);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .noneMatch(n -> n.endsWith(".tmp"));
    }
  }

  private List<String> here() throws Exception {
    EmbeddedApiServerOptions options =
        EmbeddedApiServerOptions.defaults().withDataDirectory(folder);
    try (EmbeddedApiServer server = EmbeddedApiServer.startBlocking(options);
        Http http = new Http(server)) {
      List<String> names = new ArrayList<>();
      for (JsonNode item : http.get(MAPS).body().path("items")) {
        names.add(item.at("/metadata/name").asText());
      }
      assertThat(http.delete(MAPS + "/map-0").status()).as("it takes writes again").isEqualTo(200);
      return names;
    }
  }

  private Process limited(long smallestLog) throws IOException {
    return new ProcessBuilder(
            "/bin/sh",
            "-c",
            "ulimit -f " + LARGEST_BLOCKS + " && exec \"$@\"",
            "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            Target.class.getName(),
            folder.toString(),
            Long.toString(smallestLog))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String url(Process process) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("http://")) {
        return line;
      }
    }
    throw new AssertionError("the server did not start");
  }
}
