// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Delivery to a listener that is slow or not ready. */
class ListenerQueueTest extends CacheTestSupport {

  private final RecordingListener listener = new RecordingListener();

  @Test
  void slowListener_getsMergedEvents_andTheBacklogIsBoundedByTheObjects() {
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    Subscription subscription = cache.subscribe("slow", listener);
    Await.get(subscription.synced());
    listener.ready(false);

    for (int i = 1; i <= 500; i++) {
      server.put("a", "x" + i % 3, "" + i);
    }
    long last = server.bookmark();
    assertThat(last).isGreaterThan(500);
    Await.until(
        "the last write",
        () -> cache.get(Request.of("a", "x2")).map(ConfigMaps::value).orElse("").equals("500"));

    assertThat(subscription.backlog()).isLessThanOrEqualTo(3);
    listener.ready(true);
    // What is no longer in the backlog may still be on its way to the listener.
    Await.until(
        listener.events()::toString,
        () -> listener.events().stream().anyMatch(e -> e.contains("500")));
    Await.until("the end of the backlog", () -> subscription.backlog() == 0);
    assertThat(listener.events().size()).isLessThan(20);
  }

  /** Its controller may have to create it again, and receives no other event. */
  @Test
  void objectThatComesAndGoesUnheard_isToldAsComeAndGone() {
    InformerHandle<V1ConfigMap> cache = synced(listener);
    listener.ready(false);
    server.put("a", "first", "0");
    server.put("a", "x", "1");
    server.delete("a", "x");
    server.put("a", "y", "1");
    // Counting objects would not do: there were two before x went as well.
    Await.until("the last write", () -> cache.contains(Request.of("a", "y")));
    listener.ready(true);

    listener.awaitEvents(
        "ADDED a/first=0 EVENT", "ADDED a/x=1 EVENT", "DELETED a/x=1 EVENT", "ADDED a/y=1 EVENT");
  }

  @Test
  void incarnationsThatComeAndGoUnheard_areToldInTheirOrder_theNewestOfThem() {
    ListenerQueue<V1ConfigMap> queue =
        new ListenerQueue<>("slow", V1ConfigMap.class, listener, 1, Clock.system());
    Request key = Request.of("a", "x");
    Entry told = entry(key, "u1", "1");
    queue.offer(key, null, told, told, Trigger.INITIAL_LIST);
    queue.deliverNext();
    Entry second = entry(key, "u2", "2");
    Entry third = entry(key, "u3", "3");
    Entry fourth = entry(key, "u4", "4");

    queue.offer(key, told, null, told, Trigger.EVENT);
    queue.offer(key, null, second, second, Trigger.EVENT);
    queue.offer(key, second, null, second, Trigger.EVENT);
    queue.offer(key, null, third, third, Trigger.EVENT);
    queue.offer(key, third, fourth, fourth, Trigger.EVENT); // by a list
    queue.deliverNext();

    assertThat(listener.events())
        .containsExactly(
            "ADDED a/x=1 INITIAL_LIST",
            "DELETED a/x=1 EVENT",
            "ADDED a/x=3 EVENT",
            "DELETED a/x=3 EVENT",
            "ADDED a/x=4 EVENT");
  }

  @Test
  void closedDelivery_endsAtOnce_alsoWhileItsListenerIsNotReady() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    ObjectListener<V1ConfigMap> full =
        new ObjectListener<>() {
          @Override
          public void onEvent(ObjectEvent<V1ConfigMap> event) {}

          @Override
          public boolean isReady() {
            asked.countDown();
            return false;
          }
        };
    ListenerQueue<V1ConfigMap> queue =
        new ListenerQueue<>("full", V1ConfigMap.class, full, 1, Clock.system());
    queue.markSynced();
    Thread runner =
        Thread.ofVirtual().start(new DeliverySupervisor<>(queue, List.of(), Duration.ofDays(1)));
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();

    queue.close();

    Await.get(queue.ended());
    assertThat(queue.synced().failed()).isTrue();
    assertThat(runner.join(Duration.ofSeconds(60))).isTrue();
  }

  /** Jobs, for instance: a new name each time, so merging by name alone would not help. */
  @Test
  void objectsThatComeAndGoUnheard_leaveABacklogWithABound() {
    ListenerQueue<V1ConfigMap> queue =
        new ListenerQueue<>("slow", V1ConfigMap.class, listener, 1, Clock.system());
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 2 * ListenerQueue.MAX_MISSED; i++) {
        Request key = Request.of("a", "job" + i);
        Entry job = entry(key, "u" + i, "1");
        queue.offer(key, null, job, job, Trigger.EVENT);
        queue.offer(key, job, null, job, Trigger.EVENT);
      }

      assertThat(queue.backlog()).isEqualTo(ListenerQueue.MAX_MISSED);
      while (queue.deliverNext()) {
        // Delivered changes make room again.
      }
      assertThat(listener.events()).hasSize((round + 1) * 2 * ListenerQueue.MAX_MISSED);
    }
  }

  @Test
  void objectThatIsReplacedUnheard_isToldAsGoneWithItsLastKnownState_andCome() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);
    listener.ready(false);
    // Takes what is on its way, so that the rest is merged.
    server.put("a", "first", "0");
    Await.until("the first", () -> cache.contains(Request.of("a", "first")));
    server.put("a", "x", "2");
    server.delete("a", "x");
    JsonObject other =
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"x\",\"uid\":\"other\"},\"data\":{\"v\":\"3\"}}")
            .getAsJsonObject();
    server.put(other);
    server.put("a", "last", "1");
    Await.until("the last write", () -> cache.contains(Request.of("a", "last")));
    listener.ready(true);

    Await.until(
        listener.events()::toString, () -> listener.events().contains("ADDED a/last=1 EVENT"));
    assertThat(listener.events()).containsSubsequence("DELETED a/x=2 EVENT", "ADDED a/x=3 EVENT");
  }

  @Test
  void listenerThatThrows_hearsTheNextEventAllTheSame() {
    CountDownLatch second = new CountDownLatch(2);
    Await.get(
        caches
            .use(ALL)
            .subscribe(
                "throws",
                event -> {
                  second.countDown();
                  throw new IllegalStateException("on purpose");
                })
            .synced());

    server.put("a", "x", "1");
    server.put("a", "y", "1");

    Await.until("the second call", () -> second.getCount() == 0);
  }

  @Test
  void resync_showsEverythingAgain_butDoesNotHideARealChange() {
    server.put("a", "x", "1");
    server.put("a", "y", "1");
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    Subscription subscription = cache.subscribe("test", listener);
    Await.get(subscription.synced());
    listener.ready(false);

    subscription.resync();
    Await.until("the resync", () -> subscription.backlog() >= 1);
    server.put("a", "x", "2");
    Await.until(
        "the write",
        () -> ConfigMaps.value(cache.get(Request.of("a", "x")).orElseThrow()).equals("2"));
    listener.ready(true);

    // The resync of x may already have been on its way; then the change follows it.
    Await.until(
        listener.events()::toString,
        () ->
            listener
                .events()
                .containsAll(List.of("UPDATED a/y=1>1 RESYNC", "UPDATED a/x=1>2 EVENT")));
  }

  /** The official client's informer adds the listener first and lists then, without a lock. */
  @Test
  void listenerThatIsAddedWhileThingsChange_endsUpWithTheTruth_andNeverAddsAfterADelete() {
    long seed = 20_261_121;
    SplittableRandom random = new SplittableRandom(seed);
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    List<Map<Request, String>> views = Collections.synchronizedList(new ArrayList<>());
    List<String> faults = Collections.synchronizedList(new ArrayList<>());
    java.util.Set<String> present = new java.util.HashSet<>();

    for (int i = 0; i < 600; i++) {
      String name = "x" + random.nextInt(12);
      if (present.contains(name) && random.nextInt(3) == 0) {
        present.remove(name);
        server.delete("a", name);
      } else {
        present.add(name);
        server.put("a", name, "" + i);
      }
      if (i % 60 == 0) {
        Map<Request, String> view = new ConcurrentHashMap<>();
        views.add(view);
        cache.subscribe("late" + i, event -> follow(view, event, faults));
      }
    }
    server.put("a", "last", "last");

    for (Map<Request, String> view : views) {
      Await.until(
          () ->
              "seed "
                  + seed
                  + ": the truth, but a listener believes "
                  + view
                  + " cache "
                  + cache.keys()
                  + cache.status()
                  + " present "
                  + present
                  + faults,
          () -> view.containsKey(Request.of("a", "last")) && view.size() == present.size() + 1);
    }
    assertThat(faults).as("seed %s", seed).isEmpty();
  }

  private static void follow(
      Map<Request, String> view, ObjectEvent<V1ConfigMap> event, List<String> faults) {
    String value = ConfigMaps.value(event.object());
    String known =
        event.kind() == ObjectEvent.Kind.DELETED
            ? view.remove(event.key())
            : view.put(event.key(), value);
    boolean fits = (event.kind() == ObjectEvent.Kind.ADDED) == (known == null);
    if (!fits) {
      faults.add(event + " but knew " + known);
    }
  }

  private static Entry entry(Request key, String uid, String value) {
    JsonObject object =
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\"},\"data\":{\"v\":\"%s\"}}"
                    .formatted(key.namespace(), key.name(), uid, value))
            .getAsJsonObject();
    return Entry.of(ReceivedObject.of(object), ALL).entry();
  }
}
