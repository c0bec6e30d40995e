// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Events expire after their last write, in bounded turns, on a clock that the test holds. */
final class EventExpiryTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ResourceRegistry registry = new ResourceRegistry();
  private final ObjectStore store = new ObjectStore(100_000, InstantSource.system());
  private final ObjectCollection events = store.collection(type("", "events"));
  private final List<String> deleted = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final EventExpiry expiry = new EventExpiry(registry, store, HOUR, () -> now);

  EventExpiryTest() {
    store.onChange((collection, change) -> {
      if (change.deleted()) {
        deleted.add(collection.storage() + " " + change.current().name());
      }
    });
  }

  private ResourceType type(String group, String plural) {
    return Objects.requireNonNull(registry.type(group, plural));
  }

  private StoredObject put(ObjectCollection into, String name, @Nullable StoredObject previous) {
    ObjectNode tree = Json.object();
    tree.putObject("metadata").put("namespace", "default").put("name", name);
    return store.put(into, previous, tree);
  }

  @Test
  void anEvent_isDeletedWhenItsTimeIsOver_andNotBefore() {
    put(events, "a", null);
    now = now.plus(HOUR).minusMillis(1);
    assertThat(expiry.sweep()).isFalse();
    assertThat(deleted).isEmpty();
    now = now.plusMillis(1);
    assertThat(expiry.sweep()).isFalse();
    assertThat(deleted).containsExactly("/events a");
    assertThat(events.size()).isZero();
  }

  @Test
  void aWrite_givesAnEventItsTimeAnew() {
    StoredObject a = put(events, "a", null);
    put(events, "b", null);
    now = now.plus(Duration.ofMinutes(30));
    put(events, "a", a);
    now = now.plus(Duration.ofMinutes(30));
    expiry.sweep();
    assertThat(deleted).containsExactly("/events b");
    now = now.plus(Duration.ofMinutes(30));
    expiry.sweep();
    assertThat(deleted).containsExactly("/events b", "/events a");
  }

  @Test
  void aTurn_deletesASliceAndSaysThatThereIsMore() {
    for (int i = 0; i < 2 * EventExpiry.SLICE + 1; i++) {
      put(events, "e" + i, null);
    }
    now = now.plus(HOUR);
    assertThat(expiry.sweep()).isTrue();
    assertThat(deleted).hasSize(EventExpiry.SLICE);
    assertThat(expiry.sweep()).isTrue();
    assertThat(expiry.sweep()).isFalse();
    assertThat(events.size()).isZero();
  }

  @Test
  void bothApisOfEvents_shareTheirStorage_andOtherObjectsStay() {
    put(store.collection(type("events.k8s.io", "events")), "new", null);
    put(store.collection(type("", "configmaps")), "map", null);
    store.delete(events, put(events, "gone", null));
    deleted.clear();
    now = now.plus(HOUR);
    expiry.sweep();
    assertThat(deleted).containsExactly("/events new");
  }
}
