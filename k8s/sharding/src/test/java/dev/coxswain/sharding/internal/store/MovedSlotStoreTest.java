// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.sharding.internal.store.MovedSlotStore.Term;
import dev.coxswain.source.Origin;
import dev.coxswain.source.Origin.Change;
import dev.coxswain.spi.MovedAttempts;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What moves with a slot is text that only the next owner of the same term accepts. */
class MovedSlotStoreTest {

  private static final Term TERM = new Term("map-uid", 3, 17);
  private static final MovedItem ITEM =
      new MovedItem("shop", "a\"b\u00e9", 4, true, Duration.ofMillis(1500), -100, "no: \n\"x\"");

  @Test
  void whatIsWritten_isReadByTheNextOwner() {
    Map<String, MovedSlot> state =
        Map.of(
            "one",
            new MovedSlot(List.of(ITEM), List.of("12", "")),
            "two",
            new MovedSlot(List.of(), List.of()));

    assertThat(MovedSlotStore.decode(TERM, MovedSlotStore.encode(TERM, state, "a")))
        .isEqualTo(state);
  }

  @Test
  void aCauseOfManyRequests_isStoredOnce_andReadForEach() {
    FailurePattern one = new FailurePattern(List.of("a.B", "c.D"), "no: #", "e.F.g");
    FailurePattern other = new FailurePattern(List.of(), "\"", "");
    List<MovedItem> items = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      FailurePattern cause = i % 10 == 0 ? null : i % 3 == 0 ? other : one;
      items.add(new MovedItem("n", "x" + i, 1, true, Duration.ZERO, 0, "no: " + i, cause));
    }
    Map<String, MovedSlot> state = Map.of("one", new MovedSlot(items, List.of("1")));

    String text = MovedSlotStore.encode(TERM, state, "a");

    assertThat(MovedSlotStore.decode(TERM, text)).isEqualTo(state);
    assertThat(text.split("e.F.g", -1)).as("it is there once").hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",-1", ",3", ",-7"})
  void aRequestWhoseCauseIsMissing_isReadWithoutIt(String number) {
    String text =
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":{\"a\":{\"positions\":[],"
            + "\"items\":[[\"n\",\"x\",1,true,5,0,\"\"%s]]}}}".formatted(number);
    assertThat(Objects.requireNonNull(MovedSlotStore.decode(TERM, text).get("a")).items())
        .containsExactly(new MovedItem("n", "x", 1, true, Duration.ofMillis(5), 0, ""));
  }

  @Test
  void theStateOfAnotherTermOrMap_isNotUsed() {
    String text =
        MovedSlotStore.encode(TERM, Map.of("one", new MovedSlot(List.of(ITEM), List.of())), "a");

    assertThat(MovedSlotStore.decode(new Term("map-uid", 3, 18), text)).isEmpty();
    assertThat(MovedSlotStore.decode(new Term("other", 3, 17), text)).isEmpty();
  }

  private static PastAttempt past(long attempt, Outcome outcome, @Nullable String replica) {
    boolean removed = outcome.removed();
    return new PastAttempt(
        attempt,
        Instant.ofEpochMilli(1_000_000 + attempt),
        Duration.ofMillis(12),
        Duration.ofNanos(3_000),
        Duration.ZERO,
        outcome,
        Trigger.RETRY,
        removed
            ? null
            : new Origin(
                "Cart", "shop", "c\"1", EnumSet.of(Change.SPEC, Change.OWNERS), "carts", ""),
        7,
        removed ? null : "no \u00e9",
        removed ? null : "0123456789ab",
        removed ? "" : "0af7651916cd43dd8448eb211c80319c",
        removed ? "anna" : null,
        removed ? "INC-3" : null,
        replica);
  }

  @Test
  void pastAttempts_areThoseOfTheReplicaThatRanThem() {
    List<PastAttempt> ran = new ArrayList<>();
    List<PastAttempt> read = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      ran.add(past(outcome.ordinal(), outcome, outcome == Outcome.ERROR ? "before" : null));
      read.add(past(outcome.ordinal(), outcome, outcome == Outcome.ERROR ? "before" : "this"));
    }
    MovedSlot state =
        new MovedSlot(
            List.of(), List.of("1"), Map.of(), List.of(new MovedAttempts("shop", "cart", ran)));

    String text = MovedSlotStore.encode(TERM, Map.of("one", state), "this");

    MovedSlot found = Objects.requireNonNull(MovedSlotStore.decode(TERM, text).get("one"));
    assertThat(found.history()).containsExactly(new MovedAttempts("shop", "cart", read));
  }

  /** A later version may have more outcomes or changes; the requests of the slot are what counts. */
  @Test
  void pastAttemptsOfAnotherVersion_areLeftOut_andCostNoRequest() {
    MovedSlot state =
        new MovedSlot(
            List.of(ITEM),
            List.of("1"),
            Map.of(),
            List.of(
                new MovedAttempts("n", "x", List.of(past(1, Outcome.ERROR, null))),
                new MovedAttempts("n", "y", List.of(past(2, Outcome.SUCCESS, null)))));
    String text = MovedSlotStore.encode(TERM, Map.of("one", state), "a");
    for (String other :
        List.of(
            text.replace("\"error\"", "\"lucky\""),
            text.replaceFirst("\\[1,", "[\"first\",").replaceFirst("\"SPEC\"", "\"WEATHER\""))) {
      MovedSlot read = Objects.requireNonNull(MovedSlotStore.decode(TERM, other).get("one"));
      assertThat(read.items()).containsExactly(ITEM);
      assertThat(read.history()).extracting(MovedAttempts::name).containsExactly("y");
    }
  }

  @Test
  void pastAttempts_haveATwentiethOfTheRoom_andTheNewestOnesFirst() {
    List<MovedAttempts> history = new ArrayList<>();
    for (int i = 0; i < MovedAttempts.MAX; i++) {
      history.add(
          new MovedAttempts("n", "x" + i, Collections.nCopies(20, past(i, Outcome.ERROR, null))));
    }
    MovedSlot state = new MovedSlot(List.of(), List.of(), Map.of(), history);
    String text = MovedSlotStore.encode(TERM, Map.of("one", state, "two", state), "a");
    assertThat(text.length()).isBetween(5_000, 10_300);
    List<MovedAttempts> kept = new ArrayList<>();
    MovedSlotStore.decode(TERM, text).values().forEach(one -> kept.addAll(one.history()));
    assertThat(kept).isNotEmpty().first().extracting(MovedAttempts::name).isEqualTo("x0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{",
        "{\"map\":\"map-uid\"}",
        "{\"map\":\"map-uid\",\"epoch\":\"x\"}",
        "{\"map\":\"map-uid\",\"epoch\":17}",
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":[]}",
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":{\"a\":1}}",
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":{\"a\":{\"positions\":[],\"items\":[[]]}}}",
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":{\"a\":{\"positions\":[],"
            + "\"items\":[[\"n\",\"x\",1,true,\"soon\",0,\"\",-1]]}}}",
        "{\"map\":\"map-uid\",\"epoch\":17,\"controllers\":{\"a\":{\"positions\":[],"
            + "\"causes\":[[\"x\"]],\"items\":[]}}}"
      })
  void textThatNoReplicaWrote_isNothing(String text) {
    assertThat(MovedSlotStore.decode(TERM, text)).isEmpty();
  }

  @Test
  void theSizeOfASlot_isBounded() {
    MovedItem large = new MovedItem("n", "x", 1, true, Duration.ZERO, 0, "e".repeat(1_000));
    Map<String, MovedSlot> state =
        Map.of("one", new MovedSlot(Collections.nCopies(10_000, large), List.of("1")));

    String text = MovedSlotStore.encode(TERM, state, "a");

    assertThat(text.length()).isLessThan(210_000);
    MovedSlot read = Objects.requireNonNull(MovedSlotStore.decode(TERM, text).get("one"));
    assertThat(read.items()).hasSizeBetween(500, 9_999);
    assertThat(read.positions()).containsExactly("1");
  }
}
