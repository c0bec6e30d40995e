// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventRecorderTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<EventsV1Event> events = k8s.resource(EventsV1Event.class);
  private final ResourceType<V1ConfigMap> type = ResourceType.of(V1ConfigMap.class);
  private final EventRecorder recorder =
      k8s.eventRecorder("coxswain.dev/test", "pod-1", Clock.system());

  @AfterEach
  void close() {
    recorder.close();
    k8s.close();
    server.close();
  }

  private V1ConfigMap object(String name) {
    return k8s.resource(V1ConfigMap.class)
        .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)));
  }

  private List<EventsV1Event> stored() {
    return events.list(ListOptions.ALL.inNamespace("default"));
  }

  private static int count(EventsV1Event event) {
    EventsV1EventSeries series = event.getSeries();
    return series == null ? 1 : Objects.requireNonNullElse(series.getCount(), 1);
  }

  @Test
  void event_saysWhatWasDoneToWhichObject() {
    V1ConfigMap object = object("x");

    recorder.normal(type, object, "Mirrored", "Copy", "copied to team-a");

    Await.until("the event", () -> stored().size() == 1);
    EventsV1Event event = stored().getFirst();
    assertThat(event.getReason()).isEqualTo("Mirrored");
    assertThat(event.getNote()).isEqualTo("copied to team-a");
    assertThat(event.getType()).isEqualTo("Normal");
    assertThat(Objects.requireNonNull(event.getRegarding()).getUid())
        .isEqualTo(Objects.requireNonNull(object.getMetadata()).getUid());
  }

  @Test
  void repetitions_areCountedInOneEvent() {
    V1ConfigMap object = object("x");
    for (int i = 0; i < 500; i++) {
      recorder.warning(type, object, "Failed", "Copy", "no such namespace");
    }

    // Not by close(), which waits for two seconds only.
    Await.until("the count", () -> stored().stream().anyMatch(event -> count(event) == 500));
    assertThat(stored()).hasSize(1);
  }

  @Test
  void close_writesWhatWaits_andCountsWhatItHadNoTimeFor() {
    V1ConfigMap object = object("x");
    recorder.normal(type, object, "Mirrored", "Copy", "copied");
    Await.until("the event", () -> stored().size() == 1);
    recorder.normal(type, object, "Mirrored", "Copy", "copied");

    recorder.close();

    int written = count(stored().getFirst()) - 1;
    assertThat(written + recorder.dropped()).as("written: %s", written).isEqualTo(1);
  }

  @Test
  void serverThatRefuses_disturbsNobody_andWhatIsLostIsCounted() {
    V1ConfigMap object = object("x");
    server.faults().failNext(1, 500, Duration.ZERO, uri -> uri.contains("/events"));

    recorder.normal(type, object, "Mirrored", "Copy", "copied");

    Await.until("the loss", () -> recorder.dropped() == 1);
  }

  @Test
  void noteIsCutToWhatAServerTakes_betweenCharacters() {
    recorder.normal(type, object("x"), "Mirrored", "Copy", "\u20ac".repeat(1_000));

    Await.until("the event", () -> stored().size() == 1);
    assertThat(stored().getFirst().getNote()).isEqualTo("\u20ac".repeat(341));
  }

  @Test
  void notesThatAllDiffer_endUpInOneEventThatSaysSo() {
    V1ConfigMap object = object("x");
    for (int i = 0; i < 100; i++) {
      recorder.warning(type, object, "Failed", "Copy", "attempt " + i);
    }

    int expected = EventRecorder.DIFFERENT_NOTES + 1;
    Await.until("the count", () -> stored().stream().anyMatch(event -> count(event) == 90));
    assertThat(stored()).hasSize(expected);
    EventsV1Event combined =
        stored().stream()
            .filter(event -> Objects.requireNonNull(event.getNote()).startsWith("(combined"))
            .findFirst()
            .orElseThrow();
    assertThat(combined.getNote()).isEqualTo("(combined from similar events): attempt 10");
    assertThat(count(combined)).isEqualTo(90);
    assertThat(recorder.dropped()).isZero();
  }

  @Test
  void objectThatSaysTooMuch_isCutShort_andTakesNothingFromOthers() {
    V1ConfigMap loud = object("loud");
    for (int i = 0; i < EventRecorder.BURST + 15; i++) {
      recorder.warning(type, loud, "Reason" + i, "Copy", "failed");
    }
    recorder.normal(type, object("quiet"), "Mirrored", "Copy", "copied");

    assertThat(recorder.dropped()).isEqualTo(15);
    Await.until("the events", () -> stored().size() == EventRecorder.BURST + 1);
  }

  @Test
  void eventThatTheServerHasForgotten_isBegunAnew() {
    V1ConfigMap object = object("x");
    recorder.normal(type, object, "Mirrored", "Copy", "copied");
    Await.until("the event", () -> stored().size() == 1);
    events.delete(events.key(stored().getFirst()));

    recorder.normal(type, object, "Mirrored", "Copy", "copied");

    Await.until("a new event", () -> stored().size() == 1);
    assertThat(recorder.dropped()).isZero();
  }

  @Test
  void whatWaits_isBounded() {
    // Nothing is answered: what the writer takes out fails, and is counted like what is refused.
    server.faults().addLatency(Duration.ofHours(1));
    for (int i = 0; i < EventRecorder.MAX_WAITING + 500; i++) {
      V1ConfigMap object =
          new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("x" + i));
      recorder.normal(type, object, "Mirrored", "Copy", "copied");
    }

    // All but those that wait and the one that is being written.
    assertThat(recorder.dropped()).isGreaterThanOrEqualTo(499);
  }

  @Test
  void thereIsAThread_onlyWhileEventsWait() {
    V1ConfigMap object = object("x");
    for (String reason : List.of("First", "Second")) {
      recorder.normal(object, reason, "Copy", "copied");
      Await.until("the event", () -> stored().stream().anyMatch(e -> reason.equals(e.getReason())));
      Await.until("the end of the thread", () -> !recorder.isWriting());
    }
    assertThat(stored()).hasSize(2);
  }
}
