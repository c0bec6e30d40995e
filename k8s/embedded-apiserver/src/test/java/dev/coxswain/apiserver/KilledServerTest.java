// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process that is killed at random moments keeps every write it has acknowledged. */
final class KilledServerTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int ROUNDS = 3;
  private static final int WRITERS = 4;
  private static final int START_MINUTES = 5;

  @TempDir Path folder;

  /** Runs in the process that is killed: a small log, so that snapshots happen as well. */
  static final class Target {
    private Target() {}

    public static void main(String[] arguments) throws Exception {
      EmbeddedApiServerOptions options =
          EmbeddedApiServerOptions.defaults()
              .withDataDirectory(Path.of(arguments[0]))
              .withSmallestLog(20_000);
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
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Target.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
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
  void everyAcknowledgedWrite_isThereAfterKill9() throws Exception {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, String> acknowledged = new ConcurrentHashMap<>();
    Map<String, String> attempted = new ConcurrentHashMap<>();
    long lastVersion = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String subject = "seed " + seed + ", round " + round;
      Running running = run();
      try (Http http = new Http(running.url())) {
        lastVersion = check(http, acknowledged, attempted, lastVersion, subject);
        int enough = 1 + random.nextInt(150);
        AtomicInteger done = new AtomicInteger();
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
          writers.add(
              Thread.ofVirtual()
                  .start(writer(http, w, random.split(), done, acknowledged, attempted)));
        }
        Http.await("enough writes, " + subject, () -> done.get() >= enough);
        running.process().destroyForcibly();
        for (Thread writer : writers) {
          assertThat(writer.join(java.time.Duration.ofSeconds(60))).isTrue();
        }
      } finally {
        running.process().destroyForcibly();
        assertThat(running.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
    Running last = run();
    try (Http http = new Http(last.url())) {
      check(http, acknowledged, attempted, lastVersion, "seed " + seed + ", at the end");
    } finally {
      last.process().destroyForcibly();
      assertThat(last.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Each writer has keys of its own, so that the last acknowledged write of a key is known. */
  private static Runnable writer(
      Http http,
      int number,
      SplittableRandom random,
      AtomicInteger done,
      Map<String, String> acknowledged,
      Map<String, String> attempted) {
    return () -> {
      try {
        while (true) {
          String name = "w" + number + "-" + random.nextInt(20);
          String value = Long.toHexString(random.nextLong());
          boolean delete = random.nextInt(4) == 0;
          attempted.put(name, delete ? "" : value);
          int status =
              delete
                  ? http.delete(MAPS + "/" + name).status()
                  : http.call(
                          "PATCH",
                          MAPS + "/" + name + "?fieldManager=t",
                          body(name, value),
                          "application/apply-patch+yaml")
                      .status();
          if (status / 100 == 2 || (delete && status == 404)) {
            acknowledged.put(name, delete ? "" : value);
            done.incrementAndGet();
          } else {
            throw new AssertionError("status " + status);
          }
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

  /** What was acknowledged last is there, or what was sent after it and got no answer. */
  private static long check(
      Http http,
      Map<String, String> acknowledged,
      Map<String, String> attempted,
      long lastVersion,
      String subject) {
    JsonNode list = http.get(MAPS).body();
    Map<String, String> found = new TreeMap<>();
    for (JsonNode item : list.path("items")) {
      found.put(item.at("/metadata/name").asText(), item.at("/data/value").asText());
    }
    acknowledged.forEach((name, value) ->
        assertThat(found.getOrDefault(name, ""))
            .as("%s, %s", name, subject)
            .isIn(value, attempted.get(name)));
    found.forEach(acknowledged::put); // from here on this is the truth
    acknowledged.replaceAll((name, value) -> found.getOrDefault(name, ""));
    long version = list.at("/metadata/resourceVersion").asLong();
    assertThat(version).as(subject).isGreaterThan(lastVersion);
    return version;
  }
}
