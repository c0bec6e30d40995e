// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The id of an event says how far each replica was heard, and fits into a header. */
class LastEventIdsTest {

  private static final String EPOCH = "0123456789abcdef";

  @Test
  void whatWasWritten_isRead() {
    LastEventIds places = new LastEventIds();
    places.put("b", EPOCH + "-7");
    places.put("a.example-0", EPOCH + "-1");
    places.put("c", EPOCH + "-1");
    places.put("c", EPOCH + "-2");
    places.remove("b");
    assertThat(places.id()).isEqualTo("a.example-0=" + EPOCH + "-1,c=" + EPOCH + "-2");
    LastEventIds read = LastEventIds.of(places.id());
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
      assertThat(LastEventIds.of(id).id()).as(id).isEmpty();
    }
    assertThat(LastEventIds.of(null).id()).isEmpty();
    assertThat(LastEventIds.of("x,,a=" + EPOCH + "-1,b=2").id()).isEqualTo("a=" + EPOCH + "-1");
  }

  @Test
  void manyReplicas_makeNoIdThatNoHeaderHolds() {
    LastEventIds places = new LastEventIds();
    for (int i = 100; i < 200; i++) {
      places.put("coxswain-" + i, EPOCH + "-" + i);
    }
    String id = places.id();
    assertThat(id).hasSizeBetween(LastEventIds.MAX_LENGTH - 64, LastEventIds.MAX_LENGTH);
    assertThat(LastEventIds.of(id).get("coxswain-100")).isEqualTo(EPOCH + "-100");
    assertThat(LastEventIds.of(id).get("coxswain-199")).isNull();
    assertThat(LastEventIds.of(id).id()).isEqualTo(id);
  }
}
