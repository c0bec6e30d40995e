// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
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
import dev.coxswain.testing.UserCodeFault;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache or a delivery that has stopped is reported as a problem. */
class SilentStopTest extends CacheTestSupport {

  private final RecordingListener listener = new RecordingListener();

  @ParameterizedTest
  @EnumSource
  void indexThatThrows_failsItsOwnQueries_andNobodyElses_untilItsObjectIsFixed(
      UserCodeFault fault) {
    Index<V1ConfigMap> bad =
        new Index<>(
            "bad",
            map -> {
              if (ConfigMaps.value(map).equals("bad")) {
                fault.run();
              }
              return List.of("all");
            });
    Index<V1ConfigMap> good = new Index<>("good", map -> List.of("all"));
    server.put("a", "x", "bad");
    server.put("a", "y", "1");
    InformerHandle<V1ConfigMap> one = caches.use(List.of(ALL), Set.of(bad));
    InformerHandle<V1ConfigMap> two = caches.use(List.of(ALL), Set.of(good));
    Await.get(one.subscribe("one", listener).synced());

    assertThat(two.list(good, "all")).hasSize(2);
    assertThat(one.list()).as("the object itself").hasSize(2);
    if (fault.isThrowing()) {
      Await.until("the failure", () -> one.status().indexFailures() > 0);
      assertThatThrownBy(() -> one.list(bad, "all"))
          .isInstanceOf(Index.FailedException.class)
          .hasMessageStartingWith("the index \"bad\" threw at a/x, so its results may be");
    }

    server.put("a", "x", "2");
    Await.until("the fixed object", () -> listener.events().size() == 3);

    assertThat(one.list(bad, "all")).hasSize(2);
    assertThat(two.list(good, "all")).hasSize(2);
  }

  @Test
  void indexThatThrew_isUsableAgain_whenItsObjectIsGone() {
    server.put("a", "x", "bad");
    Index<V1ConfigMap> index =
        new Index<>(
            "i",
            map -> {
              UserCodeFault.IO_ERROR.run();
              return List.of();
            });
    InformerHandle<V1ConfigMap> cache = caches.use(List.of(ALL), Set.of(index));
    Await.get(cache.subscribe("one", listener).synced());
    Await.until("the failure", () -> cache.status().indexFailures() > 0);

    server.delete("a", "x");

    Await.until("the end of the object", () -> listener.events().size() == 2);
    assertThat(cache.list(index, "all")).isEmpty();
  }

  @Test
  void cacheThatIsStoppedWhileItIsUsed_isAProblem_andOneThatIsGivenBackIsNone() {
    InformerHandle<V1ConfigMap> used = synced(listener);
    assertThat(used.status().problem()).isEmpty();

    caches.close();

    Await.until("the stopped state", () -> used.status().phase() == CacheStatus.Phase.STOPPED);
    assertThat(used.status().problem())
        .contains("was stopped while in use: its objects are outdated");
    assertThat(used.status().failure()).isEqualTo(used.status().problem());
    assertThat(caches.statuses()).anySatisfy(each -> assertThat(each.problem()).isPresent());
    used.close();
    assertThat(used.status().problem()).isEmpty();
  }

  @Test
  void listenerThatDoesNotReturn_isAProblemThatNamesTheObject() throws InterruptedException {
    AtomicLong nanos = new AtomicLong();
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return nanos.get();
          }

          @Override
          public Instant instant() {
            return Instant.EPOCH.plusNanos(nanos.get());
          }
        };
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch returns = new CountDownLatch(1);
    ObjectListener<V1ConfigMap> stuck =
        event -> {
          called.countDown();
          try {
            returns.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    ListenerQueue<V1ConfigMap> delivery =
        new ListenerQueue<>("stuck", V1ConfigMap.class, stuck, 1, clock);
    Request key = Request.of("a", "x");
    Entry entry = new Entry("u", "1", 0, new byte[0]);
    delivery.offer(key, null, entry, entry, Trigger.EVENT);
    Thread.ofVirtual().start(new DeliverySupervisor<>(delivery, List.of()));
    called.await();
    assertThat(delivery.problem()).isEmpty();

    nanos.addAndGet(Duration.ofSeconds(45).toNanos());

    assertThat(delivery.problem())
        .contains(
            "a handler or predicate has not returned for 45 s, at a/x; no event is delivered"
                + " meanwhile");
    assertThat(delivery.failure()).as("it may return").isEmpty();
    nanos.addAndGet(Duration.ofMinutes(5).toNanos());
    assertThat(delivery.failure()).isEqualTo(delivery.problem()).isPresent();
    returns.countDown();
    Await.until("the end of the call", () -> delivery.problem().isEmpty());
    delivery.close();
    Await.get(delivery.ended());
    assertThat(delivery.problem()).isEmpty();
  }

  @Test
  void deliveryThatFailedOnce_isNoProblem_whenNothingIsLeftToDeliver() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(1);
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            if (failed.getCount() > 0) {
              failed.countDown();
              throw new IllegalStateException("no time");
            }
            return 0;
          }

          @Override
          public Instant instant() {
            return Instant.EPOCH;
          }
        };
    ListenerQueue<V1ConfigMap> delivery =
        new ListenerQueue<>("test", V1ConfigMap.class, listener, 1, clock);
    Entry entry = new Entry("u", "1", 0, new byte[0]);
    delivery.offer(Request.of("a", "x"), null, entry, entry, Trigger.EVENT);
    Thread.ofVirtual().start(new DeliverySupervisor<>(delivery, List.of()));
    failed.await();

    Await.until("the end of the problem", () -> delivery.problem().isEmpty());
    delivery.close();
    Await.get(delivery.ended());
  }

  /** The change had been taken out of the line, and was gone with the fault. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void faultBetweenTakingAndHandingOver_losesNoEvent_andRepeatsNone(int faultyCall) {
    AtomicLong calls = new AtomicLong();
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            if (Thread.currentThread().isVirtual() && calls.incrementAndGet() == faultyCall) {
              throw new OutOfMemoryError("on purpose");
            }
            return 0;
          }

          @Override
          public Instant instant() {
            return Instant.EPOCH;
          }
        };
    ListenerQueue<V1ConfigMap> delivery =
        new ListenerQueue<>("test", V1ConfigMap.class, listener, 1, clock);
    Request key = Request.of("a", "x");
    Entry one = entry(key, "u1", "1");
    Entry two = entry(key, "u2", "2");
    delivery.offer(key, one, null, one, Trigger.EVENT);
    delivery.offer(key, null, two, two, Trigger.EVENT);
    Request other = Request.of("a", "y");
    Entry third = entry(other, "u3", "3");
    delivery.offer(other, null, third, third, Trigger.EVENT);
    Thread.ofVirtual().start(new DeliverySupervisor<>(delivery, List.of()));

    listener.awaitEvents("DELETED a/x=1 EVENT", "ADDED a/x=2 EVENT", "ADDED a/y=3 EVENT");
    Await.until("the end of the problem", () -> delivery.problem().isEmpty());
    delivery.close();
    Await.get(delivery.ended());
  }

  private static Entry entry(Request key, String uid, String value) {
    String json =
        "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\"},\"data\":{\"v\":\"%s\"}}"
            .formatted(key.namespace(), key.name(), uid, value);
    return Entry.of(ReceivedObject.of(JsonParser.parseString(json)), ALL).entry();
  }

  /** Futures call what waits for them on the thread that completes them. */
  @ParameterizedTest
  @EnumSource
  void whateverWaitsForTheSync_doesNotEndTheDelivery(UserCodeFault fault) {
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    CountDownLatch go = new CountDownLatch(1);
    Subscription subscription =
        cache.subscribe(
            "test",
            new ObjectListener<>() {
              @Override
              public void onEvent(ObjectEvent<V1ConfigMap> event) {
                listener.onEvent(event);
              }

              @Override
              public boolean isReady() {
                return go.getCount() == 0;
              }
            });
    subscription.synced().onComplete(done -> fault.run());
    go.countDown();
    Await.get(subscription.synced());

    server.put("a", "x", "1");

    Await.until("the event", () -> listener.events().size() == 1);
  }
}
