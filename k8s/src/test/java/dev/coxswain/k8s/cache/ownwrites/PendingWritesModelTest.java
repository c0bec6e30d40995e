// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Own and foreign writes, answers that come late, a cache that lags, lists anew and loses its
 * server to a backup: at every moment a reader sees at least its own last write, and in the end the
 * truth.
 */
class PendingWritesModelTest {

  private static final int STEPS = 200_000;
  private static final int KEYS = 4;

  /** A write of this process whose answer is on its way. */
  private record Sent(Request key, JsonObject answer, boolean deletion, int state) {}

  private final SplittableRandom random;
  private final long seed = Long.getLong("coxswain.seed", 20_261_121L);
  private final ModelServer server = new ModelServer();
  private final ModelCache cache = new ModelCache(server);
  private final PendingWrites overlay;
  private final ReadYourWritesLister<Unstructured> reader;
  private final Map<Request, Integer> ownState = new HashMap<>();
  private final List<Sent> sent = new ArrayList<>();
  private boolean restored;

  PendingWritesModelTest() {
    random = new SplittableRandom(seed);
    overlay =
        new PendingWrites(
            "model",
            cache.progress,
            cache::version,
            PendingWritesTest::bytes,
            "",
            "seen=yes",
            RecentWrites.LIMIT);
    reader = new ReadYourWritesLister<>(cache, Unstructured.class, Map.of("", overlay), () -> {});
  }

  @Test
  void reader_seesAtLeastItsOwnLastWrite_andInTheEndTheTruth() {
    int settled = 0;
    for (int step = 0; step < STEPS; step++) {
      act();
      if (!restored) {
        checkAll(step);
      }
      if (random.nextInt(200) == 0) {
        settle();
        checkTruth(step);
        settled++;
      }
    }
    assertThat(settled).isGreaterThan(500);
    assertThat(overlay.forgotten()).isZero();
    assertThat(overlay.size()).isLessThanOrEqualTo(KEYS);
  }

  private Request key() {
    return Request.of("ns", "k" + random.nextInt(KEYS));
  }

  private void act() {
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3 -> ownWrite(key());
      case 4, 5, 6 -> foreignWrite(key());
      case 7, 8, 9 -> answer();
      case 10, 11, 12, 13, 14, 15 -> cache.followOne();
      case 16 -> cache.bookmark();
      case 17 -> {
        if (!cache.isListing() && random.nextInt(5) == 0) {
          cache.beginList();
        }
      }
      case 18 -> {
        if (cache.isListing()) {
          endList();
        }
      }
      default -> {
        if (random.nextInt(400) == 0) {
          restore();
        }
      }
    }
  }

  private void ownWrite(Request key) {
    if (sent.stream().anyMatch(s -> s.key.equals(key))) {
      // A key is reconciled by one thread at a time.
      return;
    }
    boolean deletion = random.nextInt(3) == 0;
    JsonObject answer;
    if (deletion) {
      // Deletes what it has seen, and nothing else.
      String seen =
          reader.get(key).map(object -> String.valueOf(object.getMetadata().getUid())).orElse("");
      if (seen.isEmpty() || !seen.equals(server.uid(key))) {
        return;
      }
      answer = server.delete(key);
    } else {
      answer = server.put(key, random.nextInt(5) > 0, random.nextInt(4) == 0);
    }
    sent.add(new Sent(key, answer, deletion, server.history(key).size() - 1));
  }

  private void foreignWrite(Request key) {
    if (server.objects.containsKey(key) && random.nextInt(3) == 0) {
      server.delete(key);
    } else {
      server.put(key, random.nextInt(5) > 0, random.nextInt(4) == 0);
    }
  }

  private void answer() {
    if (!sent.isEmpty()) {
      Sent one = sent.remove(random.nextInt(sent.size()));
      if (one.deletion) {
        overlay.deleted(one.key, one.answer);
      } else {
        overlay.written(one.key, one.answer);
      }
      ownState.put(one.key, one.state);
    }
  }

  private void restore() {
    while (!sent.isEmpty()) {
      answer();
    }
    cache.endList();
    Map<Request, JsonObject> backup = new HashMap<>(server.objects);
    long version = server.version;
    for (int i = 0; i < 5; i++) {
      ownWrite(key());
      foreignWrite(key());
      answer();
      cache.followOne();
    }
    sent.clear();
    server.restore(backup, version);
    ownState.clear();
    // Reads until the next list are undefined; the cache has not received the event either.
    restored = true;
    cache.beginList();
  }

  private void endList() {
    cache.endList();
    if (restored) {
      // Versions from between the restore and this list mean nothing to either side.
      ownState.clear();
      restored = false;
    }
  }

  private void settle() {
    while (!sent.isEmpty()) {
      answer();
    }
    endList();
    while (cache.isBehind()) {
      cache.followOne();
    }
  }

  private void checkAll(int step) {
    for (int i = 0; i < KEYS; i++) {
      Request key = Request.of("ns", "k" + i);
      String seen = ModelServer.view(reader.get(key).map(Unstructured::json).orElse(null));
      List<String> history = server.history(key);
      int own = ownState.getOrDefault(key, 0);
      assertThat(history.subList(own, history.size()))
          .as("seed %s, step %s, %s: own last write and everything since", seed, step, key)
          .contains(seen);
      assertThat(reader.contains(key)).isEqualTo(!seen.equals(ModelServer.ABSENT));
    }
  }

  private void checkTruth(int step) {
    Map<Request, String> truth = new HashMap<>();
    server.list().forEach((key, object) -> truth.put(key, ModelServer.view(object)));
    Map<Request, String> read = new HashMap<>();
    reader
        .list()
        .forEach(object ->
            read.put(
                Request.of("ns", String.valueOf(object.getMetadata().getName())),
                ModelServer.view(object.json())));
    assertThat(read).as("seed %s, step %s", seed, step).isEqualTo(truth);
    assertThat(reader.keys()).containsExactlyInAnyOrderElementsOf(truth.keySet());
  }
}
