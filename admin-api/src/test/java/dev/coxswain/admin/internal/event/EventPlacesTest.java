// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The id of an event says how far each replica was heard, and fits into a header. */
class EventPlacesTest {

  private static final String EPOCH = "0123456789abcdef";

  @Test
  void whatWasWritten_isRead() {
    EventPlaces places = new EventPlaces();
    places.at("b", EPOCH + "-7");
    places.at("a.example-0", EPOCH + "-1");
    places.at("c", EPOCH + "-1");
    places.at("c", EPOCH + "-2");
    places.forget("b");
    assertThat(places.id()).isEqualTo("a.example-0=" + EPOCH + "-1,c=" + EPOCH + "-2");
    EventPlaces read = EventPlaces.of(places.id());
    assertThat(read.get("c")).isEqualTo(EPOCH + "-2");
    assertThat(read.get("b")).isNull();
    assertThat(read.id()).isEqualTo(places.id());
  }

  @Test
  void whatIsNoPlace_isNotBelieved() {
    for (String id :
        new String[] {
          "",
          "nonsense",
          EPOCH + "-1",
          "a=1",
          "a=" + EPOCH + "-x",
          "=" + EPOCH + "-1",
          "a\nb=" + EPOCH + "-1",
          "a b=" + EPOCH + "-1"
        }) {
      assertThat(EventPlaces.of(id).id()).as(id).isEmpty();
    }
    assertThat(EventPlaces.of(null).id()).isEmpty();
    assertThat(EventPlaces.of("x,,a=" + EPOCH + "-1,b=2").id()).isEqualTo("a=" + EPOCH + "-1");
  }

  @Test
  void manyReplicas_makeNoIdThatNoHeaderHolds() {
    EventPlaces places = new EventPlaces();
    for (int i = 100; i < 200; i++) {
      places.at("coxswain-" + i, EPOCH + "-" + i);
    }
    String id = places.id();
    assertThat(id).hasSizeBetween(EventPlaces.MAX_LENGTH - 64, EventPlaces.MAX_LENGTH);
    assertThat(EventPlaces.of(id).get("coxswain-100")).isEqualTo(EPOCH + "-100");
    assertThat(EventPlaces.of(id).get("coxswain-199")).isNull();
    assertThat(EventPlaces.of(id).id()).isEqualTo(id);
  }
}
