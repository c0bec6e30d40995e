// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.testing.TestLength;
import dev.coxswain.testing.process.Commands;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process that is killed at random moments loses the last writes at most: what was
 * acknowledged before the write of the file that ended last began is there.
 */
@Order(1) // takes long
final class KilledServerTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int ROUNDS = TestLength.of(2, 10);
  private static final int WRITERS = 4;
  private static final int START_MINUTES = 5;

  @TempDir Path folder;

  /** Runs in a process that is killed. */
  static final class Target {
    private Target() {}

    public static void main(String[] arguments) throws Exception {
      EmbeddedApiServerOptions options =
          EmbeddedApiServerOptions.defaults().withDataDirectory(Path.of(arguments[0]));
      // not startBlocking: a fresh process on a busy machine may need longer than that waits
      EmbeddedApiServer server =
          EmbeddedApiServer.start(Vertx.vertx(), options).await(START_MINUTES, TimeUnit.MINUTES);
      System.out.println(server.url());
      int end = System.in.read(); // ends with the parent
      server.close();
      System.exit(end < 0 ? 0 : 1);
    }
  }

  private record Running(Process process, String url) {}

  private Running run() throws IOException {
    Process process =
        Commands.java(List.of("-XX:TieredStopAtLevel=1"), Target.class, folder).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("http://")) {
        return new Running(process, line);
      }
    }
    throw new AssertionError("the server did not start; its log is on the standard error");
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // several processes start, on a busy machine slowly
  void whatWasAcknowledgedBeforeTheLastWriteOfTheFile_isThereAfterKill9() throws Exception {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    AtomicIntegerArray acknowledged = new AtomicIntegerArray(WRITERS);
    long lastVersion = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String subject = "seed " + seed + ", round " + round;
      Running running = run();
      int[] kept = new int[WRITERS];
      try (Http http = new Http(running.url())) {
        lastVersion = check(http, kept, acknowledged, lastVersion, subject);
        for (int w = 0; w < WRITERS; w++) {
          acknowledged.set(w, 0);
          http.delete(MAPS + "/w" + w);
        }
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
          writers.add(Thread.ofVirtual().start(writer(http, w, acknowledged)));
        }
        int enough = 1 + random.nextInt(300);
        Http.await("enough writes, " + subject, () -> total(acknowledged) >= enough);
        Arrays.setAll(kept, acknowledged::get);
        awaitAnotherFile(); // begun before or after
        awaitAnotherFile(); // begun after
        lastVersion = version(http.get(MAPS).body());
        running.process().destroyForcibly();
        for (Thread writer : writers) {
          assertThat(writer.join(java.time.Duration.ofSeconds(60))).isTrue();
        }
      } finally {
        running.process().destroyForcibly();
        assertThat(running.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      Running next = run();
      try (Http http = new Http(next.url())) {
        lastVersion = check(http, kept, acknowledged, lastVersion, subject + ", after it");
        next.process().destroyForcibly(); // without a change
      } finally {
        assertThat(next.process().destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private void awaitAnotherFile() throws InterruptedException {
    Object before = key();
    Http.await("the file is written", () -> !key().equals(before));
  }

  /** A file that replaces another has another modification time or another place on the disk. */
  private Object key() {
    try {
      var attributes = Files.readAttributes(folder.resolve("objects"), BasicFileAttributes.class);
      return List.of(attributes.lastModifiedTime(), String.valueOf(attributes.fileKey()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int total(AtomicIntegerArray counts) {
    return IntStream.range(0, counts.length()).map(counts::get).sum();
  }

  /** Each writer counts up in an object of its own. */
  private static Runnable writer(Http http, int number, AtomicIntegerArray acknowledged) {
    return () -> {
      try {
        for (int value = 1; ; value++) {
          Http.Answer answer =
              http.call(
                  "PATCH",
                  MAPS + "/w" + number + "?fieldManager=t",
                  body("w" + number, Integer.toString(value)),
                  "application/apply-patch+yaml");
          if (answer.status() / 100 != 2) {
            throw new AssertionError("status " + answer.status());
          }
          acknowledged.set(number, value);
        }
      } catch (UncheckedIOException e) {
        Thread.currentThread().interrupt(); // the server was killed; nobody reads this thread again
      }
    };
  }

  private static String body(String name, String value) {
    return "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\""
        + name
        + "\"},\"data\":{\"value\":\""
        + value
        + "\"}}";
  }

  /** Each count is between the one that must be kept and the last one that can have arrived. */
  private static long check(
      Http http, int[] kept, AtomicIntegerArray acknowledged, long lastVersion, String subject) {
    JsonNode list = http.get(MAPS).body();
    for (int w = 0; w < WRITERS; w++) {
      int found = http.get(MAPS + "/w" + w).body().at("/data/value").asInt();
      assertThat(found)
          .as("writer %d, %s", w, subject)
          .isBetween(kept[w], acknowledged.get(w) + 1); // the last one may have got no answer
    }
    assertThat(version(list))
        .as("no version is used twice, %s", subject)
        .isGreaterThan(lastVersion);
    return version(list);
  }

  private static long version(JsonNode list) {
    return list.at("/metadata/resourceVersion").asLong();
  }
}
