// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a cache has not received yet is waited for, and nothing else. */
class ExpectationsTest {

  private static final Request OWNER = Request.of("a", "owner");
  private static final Request OTHER = Request.of("a", "other");

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final KindSource<V1ConfigMap> cache = k8s.kind(V1ConfigMap.class).toSource();
  private final VirtualTime time = new VirtualTime();
  private final Expectations expectations = new Expectations(time);

  @BeforeEach
  void start() {
    Await.get(cache.start(new RecordingSink()));
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static V1ConfigMap stored(String name, long version) {
    return new V1ConfigMap()
        .metadata(
            new V1ObjectMeta()
                .namespace("a")
                .name(name)
                .uid("uid-" + name)
                .resourceVersion(Long.toString(version)));
  }

  private boolean areMet() {
    return expectations.areMet(OWNER, cache);
  }

  private void awaitMet() {
    Await.until("the expectations to be met", this::areMet);
  }

  /** Returns the version of a change that the cache has received. */
  private long received(String name) {
    long version = server.put("a", name, "1");
    Await.until(
        "the change",
        () ->
            cache
                .get(Request.of("a", name))
                .map(map -> ConfigMaps.meta(map).getResourceVersion())
                .filter(Long.toString(version)::equals)
                .isPresent());
    return version;
  }

  @Test
  void createdObject_isWaitedForUntilTheCacheHasIt_andByItsRequestOnly() {
    long last = received("old");
    assertThat(areMet()).as("nothing is expected").isTrue();
    expectations.written(OWNER, stored("new", last + 1));
    assertThat(areMet()).isFalse();
    assertThat(expectations.areMet(OTHER, cache)).isTrue();
    assertThat(server.put("a", "new", "1")).isEqualTo(last + 1);
    awaitMet();
  }

  @Test
  void changedObject_isWaitedForInThatVersionOrALaterOne() {
    long last = received("x");
    expectations.written(OWNER, stored("x", last + 2));
    server.put("a", "x", "2");
    Await.until(
        "the earlier change",
        () ->
            cache.get(Request.of("a", "x")).map(ConfigMaps::value).filter("2"::equals).isPresent());
    assertThat(areMet()).isFalse();
    server.put("a", "x", "3");
    awaitMet();
  }

  @Test
  void createdObjectThatIsGoneAgain_isNotWaitedFor_onceTheCacheIsFarEnough() {
    long last = received("x");
    expectations.written(OWNER, stored("short", last + 1));
    assertThat(areMet()).isFalse();
    received("x");
    received("x");
    awaitMet();
  }

  @Test
  void deletedObject_isWaitedForUntilTheCacheHasItNoMore_orAnotherIncarnation() {
    received("x");
    V1ConfigMap object = cache.get(Request.of("a", "x")).orElseThrow();
    V1ConfigMap earlier = cache.get(Request.of("a", "x")).orElseThrow();
    ConfigMaps.meta(earlier).setUid("earlier");
    expectations.deleted(OWNER, earlier);
    assertThat(areMet()).as("another incarnation").isTrue();
    expectations.deleted(OWNER, object);
    assertThat(areMet()).isFalse();
    server.delete("a", "x");
    awaitMet();
  }

  @Test
  void deletionOfAnObjectThatTheCacheHasNotReceived_leavesItsCreationExpected() {
    long last = received("x");
    expectations.written(OWNER, stored("short", last + 1));
    expectations.deleted(OWNER, stored("short", last + 1));
    assertThat(areMet()).isFalse();
    received("x");
    awaitMet();
  }

  @Test
  void manyWritesOfOneObject_areOneExpectation_ofTheLast() {
    long last = received("x");
    for (int i = 1; i <= 3; i++) {
      expectations.written(OWNER, stored("x", last + i));
    }
    received("x");
    received("x");
    assertThat(areMet()).isFalse();
    received("x");
    awaitMet();
  }

  @Test
  void allWritesOfARequest_areWaitedFor() {
    long last = received("x");
    expectations.written(OWNER, stored("one", last + 1));
    expectations.written(OWNER, stored("two", last + 3));
    received("one");
    assertThat(areMet()).isFalse();
    received("x");
    received("two");
    awaitMet();
  }

  @Test
  void writeWhoseEventIsLost_isWaitedForFiveMinutes() {
    long last = received("x");
    expectations.written(OWNER, stored("lost", last + 100));
    time.advance(Expectations.EXPIRY.minusNanos(1));
    assertThat(areMet()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(areMet()).isTrue();
  }

  @Test
  void forgottenRequest_waitsForNothing() {
    long last = received("x");
    expectations.written(OWNER, stored("new", last + 1));
    expectations.forget(OWNER);
    assertThat(areMet()).isTrue();
  }
}
