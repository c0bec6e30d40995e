// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.change.RecentWriters;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Origin;
import dev.coxswain.source.Origin.Change;
import dev.coxswain.testkit.TestAttempt;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What an event says of the change that caused it, and of the attempt that wrote it. */
class ChangeOriginTest {

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final Request KEY = Request.of("a", "x");

  private final RecentWriters writers = new RecentWriters();
  private final RecentWrites writes = new RecentWrites(writers);
  private final RecordingSink sink = new RecordingSink();

  private void write(String version, String trace) {
    var stored = JsonParser.parseString("{\"metadata\":{\"resourceVersion\":\"" + version + "\"}}");
    CurrentAttempt.run(
        TestAttempt.of("demo").withTraceParent(trace),
        () -> writes.written(ResourceType.of(V1ConfigMap.class), KEY, stored.getAsJsonObject()));
  }

  private void deliver(ObjectEvent<V1ConfigMap> event) {
    new SinkListener<V1ConfigMap>(
            sink,
            _ -> true,
            (one, requests) -> requests.accept(one.key()),
            new UserCode("test", this),
            () -> {},
            new AtomicLong(),
            new AtomicLong(),
            writers,
            new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", ""))
        .onEvent(event);
  }

  private static V1ConfigMap map(String version) {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().namespace("a").name("x").uid("u").resourceVersion(version));
  }

  @Test
  void theEventOfAWrite_hasItsAttemptAsCause_andOtherEventsHaveNone() {
    write("7", TRACE);
    write("9", "");
    deliver(ObjectEvent.updated(map("1"), map("7")));
    deliver(ObjectEvent.updated(map("7"), map("8")));
    deliver(ObjectEvent.updated(map("8"), map("9")));
    deliver(ObjectEvent.resynced(map("7")));
    assertThat(sink.added()).hasSize(4);
    assertThat(sink.causes()).containsExactly("a/x " + TRACE);
  }

  private static V1ConfigMap changed(Consumer<V1ObjectMeta> change) {
    V1ConfigMap map = map("8").data(Map.of("a", "b"));
    change.accept(Objects.requireNonNull(map.getMetadata()));
    return map;
  }

  @Test
  void aChange_isNamedByWhatDiffers() {
    V1ConfigMap before = map("7");
    deliver(ObjectEvent.added(before));
    deliver(ObjectEvent.deleted(before));
    deliver(ObjectEvent.updated(before, changed(_ -> {})));
    deliver(ObjectEvent.updated(before, changed(meta -> meta.generation(2L))));
    deliver(ObjectEvent.updated(before, changed(meta -> meta.labels(Map.of("a", "b")))));
    deliver(
        ObjectEvent.updated(
            before,
            changed(meta -> meta.annotations(Map.of("a", "b")).finalizers(List.of("x/y")))));
    deliver(
        ObjectEvent.updated(
            before,
            changed(meta ->
                meta.generation(2L)
                    .deletionTimestamp(OffsetDateTime.parse("2026-01-01T00:00:00Z")))));
    deliver(ObjectEvent.resynced(before));
    assertThat(sink.origins())
        .extracting(Origin::changes)
        .containsExactly(
            Set.of(Change.CREATED),
            Set.of(Change.DELETED),
            Set.of(Change.STATUS),
            Set.of(Change.SPEC),
            Set.of(Change.LABELS),
            Set.of(Change.ANNOTATIONS, Change.FINALIZERS),
            Set.of(Change.DELETING),
            Set.of());
    assertThat(sink.origins().getFirst())
        .isEqualTo(new Origin("ConfigMap", "a", "x", Set.of(Change.CREATED), "", ""));
    assertThat(sink.origins().getLast()).as("a resync").isEqualTo(Origin.UNKNOWN);
  }

  @Test
  void aChangeThatAnAttemptOfThisProcessWrote_namesItsController_alsoWithoutTraces() {
    write("7", "");
    deliver(ObjectEvent.updated(map("1"), map("7")));
    deliver(ObjectEvent.updated(map("7"), map("8")));
    assertThat(sink.origins()).extracting(Origin::writer).containsExactly("demo", "");
  }

  @Test
  void oldWrites_areForgotten() {
    write("first", TRACE);
    for (int i = 0; i < 4096; i++) {
      write(Integer.toString(i), TRACE);
    }
    deliver(ObjectEvent.updated(map("1"), map("first")));
    deliver(ObjectEvent.updated(map("1"), map("2")));
    assertThat(sink.causes()).hasSize(1);
  }
}
