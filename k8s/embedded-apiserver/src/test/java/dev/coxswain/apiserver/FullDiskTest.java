// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.testing.process.Commands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that takes no more: a real process whose files may not grow beyond a limit of the
 * operating system. It goes on in memory and reports it; what was written last stays whole, and a
 * server without the limit goes on with it.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
final class FullDiskTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int LARGEST_BLOCKS = 440; // of 512 bytes
  private static final String VALUE = "v".repeat(1_000);

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // a process starts, on a busy machine slowly
  void whatDoesNotFit_isReported_andWhatWasWrittenBeforeStays() throws Exception {
    Process process = limited();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    try (Http http = new Http(awaitLine(out, "http://127.0.0.1"))) {
      assertThat(http.configMap("first", "").status()).isEqualTo(201);
      Http.await("the first is kept", () -> file().contains("\"first\""));
      for (int i = 0; i < 300; i++) {
        String map =
            "{\"metadata\":{\"name\":\"map-" + i + "\"},\"data\":{\"v\":\"" + VALUE + "\"}}";
        assertThat(http.post(MAPS, map).status()).isEqualTo(201);
      }
      awaitLine(out, "objects cannot be written");
      assertThat(http.delete(MAPS + "/map-0").status()).as("a later write").isEqualTo(200);
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(here()).contains("first").hasSizeLessThan(300);
  }

  private String file() {
    try {
      return Files.readString(folder.resolve("objects"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
      assertThat(http.delete(MAPS + "/first").status()).isEqualTo(200);
      return names;
    }
  }

  private Process limited() throws IOException {
    ProcessBuilder server =
        Commands.java(
            List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"),
            KilledServerTest.Target.class,
            folder);
    server
        .command()
        .addAll(
            0, List.of("/bin/sh", "-c", "ulimit -f " + LARGEST_BLOCKS + " && exec \"$@\"", "sh"));
    return server.start();
  }

  /** Returns the next line with this text in it; the log is there, too. */
  private static String awaitLine(BufferedReader out, String text) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.contains(text)) {
        return line;
      }
    }
    throw new AssertionError("the server ended without: " + text);
  }
}
