// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.ListOptions;
import io.kubernetes.client.openapi.models.EventsV1Event;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The API server limits the note of an Event in bytes, and stores no Event with a longer one. */
class KubernetesEventsTest {

  private static final int LIMIT = 1_024;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final KubernetesEvents events =
      new KubernetesEvents(k8s, "default", "coxswain", "", "coxswain-0");

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private String stored(String note) {
    events.write(new ClusterNotice("0a", Instant.EPOCH, false, "Paused", note));
    return k8s.resource(EventsV1Event.class)
        .list(ListOptions.ALL.inNamespace("default"))
        .getFirst()
        .getNote();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\u0436", "\u5168", "\ud83d\ude80", "ab\ud83d\ude80"})
  void aLongNote_isCutBetweenCharacters_toTheBytesThatTheServerAccepts(String character) {
    String note = character.repeat(900);
    String stored = stored(note);
    assertThat(note).startsWith(stored);
    int bytes = stored.getBytes(StandardCharsets.UTF_8).length;
    int expected = Math.min(LIMIT, note.getBytes(StandardCharsets.UTF_8).length);
    assertThat(bytes).isBetween(expected - 3, expected);
    assertThat(stored.codePoints()).noneMatch(point -> point >= 0xD800 && point < 0xE000);
  }
}
