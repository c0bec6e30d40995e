// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A mapping that queries an index which one object has made unusable. The event was skipped: when
 * the object was fixed, what it would have named was not reconciled.
 */
class FailedIndexTest {

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final RecordingSink sink = new RecordingSink();
  private final CountDownLatch asked = new CountDownLatch(1);

  private final Index<V1ConfigMap> index =
      new Index<>(
          "picky",
          map -> {
            if (ConfigMaps.value(map).equals("bad")) {
              throw new IllegalStateException("on purpose");
            }
            return List.of("all");
          });
  private final KindSource<V1ConfigMap> indexed =
      k8s.kind(V1ConfigMap.class).indexedBy(index).toSource();

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  /** Maps the object "asks" to all that the index finds, and each other one to itself. */
  private List<Request> mapped(V1ConfigMap map, boolean wraps) {
    String name = String.valueOf(ConfigMaps.meta(map).getName());
    if (!name.equals("asks")) {
      return List.of(Request.of("self", name));
    }
    asked.countDown();
    try {
      return indexed.list(index, "all").stream()
          .map(found -> Request.of("found", String.valueOf(ConfigMaps.meta(found).getName())))
          .sorted(java.util.Comparator.comparing(Request::name))
          .toList();
    } catch (Index.FailedException e) {
      throw wraps ? new IllegalArgumentException("wrapped", e) : e;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eventWhoseMappingQueriesAFailedIndex_waitsUntilTheIndexWorks_visibly_andHoldsUpNoOther(
      boolean wraps) {
    server.put("a", "broken", "bad");
    Await.get(indexed.start(new RecordingSink()));
    Await.until("the failure", () -> indexed.statuses().getFirst().indexFailures() > 0);
    KindSource<V1ConfigMap> mapping =
        k8s.kind(V1ConfigMap.class)
            .handledBy((event, requests) -> mapped(event.object(), wraps).forEach(requests))
            .toSource();
    Await.get(mapping.start(sink));

    server.put("a", "asks", "1");
    Await.until("the mapping to be asked", () -> asked.getCount() == 0);
    server.put("a", "other", "1");
    Await.until(() -> "the other: " + sink.added(), () -> contains("self/other 0 EVENT"));
    Await.until("the failure to be shown", () -> mapping.failure().isPresent());
    assertThat(mapping.problem().orElseThrow())
        .startsWith("1 event could not be delivered, retrying: ")
        .contains("the index \"picky\" threw at a/broken");
    assertThat(sink.added()).noneMatch(added -> added.startsWith("found/"));
    assertThat(mapping.handlerFailures()).as("skipped events").isZero();

    server.put("a", "broken", "fixed");

    Await.until(() -> "the kept event: " + sink.added(), () -> contains("found/other 0 EVENT"));
    assertThat(sink.added())
        .contains("found/asks 0 EVENT", "found/broken 0 EVENT", "found/other 0 EVENT");
    Await.until("the end of the problem", () -> mapping.problem().isEmpty());
    Await.get(mapping.stop());
  }

  private boolean contains(String added) {
    return sink.added().contains(added);
  }
}
