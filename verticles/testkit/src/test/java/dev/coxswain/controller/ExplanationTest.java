// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.internal.loop.RecentEndings;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Presence;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What is not in the queue was explained in the same words, whatever the cause. */
class ExplanationTest {
  private final VirtualTime time = new VirtualTime();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("view")
              .watches(new CachedSource())
              .reconciles((request, context) -> {
                if (request.name().startsWith("bad")) {
                  throw new IllegalStateException("no");
                }
                return Result.done();
              }),
          time);

  private static final class CachedSource extends SilentSource {
    @Override
    public Presence presence(Request request) {
      return switch (request.name()) {
        case "there" -> Presence.HELD;
        case "outside" -> new Presence(Presence.State.LEFT_OUT, "Namespace is not watched.");
        case "odd" -> throw new NoSuchMethodError("old");
        case "later", "good" -> Presence.UNKNOWN;
        default -> new Presence(Presence.State.ABSENT, "The cache does not hold it.");
      };
    }
  }

  private Explanation explain(String name) {
    return kit.await(kit.handle().explain(new ItemId("ns", name)));
  }

  private void later(String name) {
    kit.sink().addAfter(Request.of("ns", name), Duration.ofHours(1), 0, Trigger.EVENT);
    time.settle();
  }

  @Test
  void succeeded_saysWhen() {
    kit.add(Request.of("ns", "good"));
    Instant at = time.instant();
    time.advance(Duration.ofMinutes(5));
    Explanation why = explain("good");
    assertThat(why.reason().label()).isEqualTo("succeeded");
    assertThat(why.endedAt()).isEqualTo(at);
    assertThat(why.conditions()).isEmpty();
  }

  @Test
  void dropped_saysByWhomAndWhen_untilTheNextSuccess() {
    later("good");
    Instant at = time.instant();
    kit.await(kit.handle().drop(new ItemId("ns", "good"), null, "anna"));
    time.advance(Duration.ofSeconds(5));
    Explanation why = explain("good");
    assertThat(why.reason().label()).isEqualTo("dropped");
    assertThat(why.endedBy()).isEqualTo("anna");
    assertThat(why.endedAt()).isEqualTo(at);
    assertThat(why.message()).startsWith("Not queued. Dropped by anna at ").contains("enqueue");

    kit.add(Request.of("ns", "good"));
    assertThat(explain("good").reason().label()).isEqualTo("succeeded");
  }

  @Test
  void flushed_saysByWhomAndWhen() {
    later("good");
    BulkRequest flush =
        new BulkRequest(
            Action.FLUSH,
            ItemFilter.ALL,
            false,
            10,
            false,
            false,
            Then.NONE,
            Duration.ZERO,
            Duration.ZERO);
    kit.await(kit.handle().begin(flush, "bert").result());
    Explanation why = explain("good");
    assertThat(why.reason().label()).isEqualTo("flushed");
    assertThat(why.endedBy()).isEqualTo("bert");
    assertThat(why.endedAt()).isEqualTo(time.instant());
  }

  @Test
  void neverSeen_saysWhatTheSourcesHold() {
    assertThat(explain("there").reason().label()).isEqualTo("notTracked");
    assertThat(explain("there").message()).contains("The cache holds the object");
    assertThat(explain("outside").reason().label()).isEqualTo("leftOut");
    assertThat(explain("outside").message()).contains("Namespace is not watched.");
    assertThat(explain("missing").reason().label()).isEqualTo("notInCache");
    assertThat(explain("odd").reason().label()).as("the source throws").isEqualTo("notTracked");
  }

  @Test
  void succeededAndGoneSince_saysBoth() {
    kit.add(Request.of("ns", "deleted"));
    Explanation why = explain("deleted");
    assertThat(why.reason().label()).isEqualTo("succeeded");
    assertThat(why.conditions()).containsExactly("The cache does not hold it.");
  }

  @Test
  void nameThatIsNoRequest_isUnknown() {
    ControllerTestKit<Integer> numbers =
        ControllerTestKit.of(
            Controller.named("numbers", RequestFormat.of(String::valueOf, Integer::valueOf))
                .reconciles((request, context) -> Result.done()));
    Explanation why = numbers.await(numbers.handle().explain(new ItemId("", "seven")));
    assertThat(why.reason().label()).isEqualTo("unknownName");
  }

  @Test
  void itemOfAPausedController_isExplainedAsPausedFirst() {
    kit.add(Request.of("ns", "bad"));
    later("later");
    kit.await(kit.handle().pause("INC-1", null));
    for (String name : new String[] {"bad", "later"}) {
      Explanation why = explain(name);
      assertThat(why.reason().label()).as(name).isEqualTo("paused");
      assertThat(why.message()).as(name).startsWith("The controller is paused (INC-1)");
    }
    assertThat(explain("bad").message()).contains("Failed 1 time");
    assertThat(explain("missing").conditions()).hasSize(1);
  }

  @Test
  void timesInMessages_haveMilliseconds() {
    time.advance(Duration.ofNanos(12_345_678_901L));
    kit.add(Request.of("ns", "bad"));
    kit.await(kit.handle().pause("INC-1", Duration.ofMinutes(1)));
    assertThat(explain("bad").message())
        .contains("until 2026-01-01T00:01:12.345Z", "due at 2026-01-01T00:00:12.")
        .doesNotContainPattern("\\.\\d{4,}Z");
    later("later");
    assertThat(explain("later").message()).doesNotContainPattern("\\.\\d{4,}Z");
  }

  @Test
  void successesOfManyRequests_areRememberedUpToABound() {
    RecentEndings<Integer> endings = new RecentEndings<>();
    for (int i = 0; i < 1_000_000; i++) {
      endings.succeeded(i % 500, i);
    }
    int kept = 0;
    for (int i = 0; i < 500; i++) {
      RecentEndings.Ending one = endings.find(i);
      if (one != null) {
        kept++;
        assertThat(one.at()).isEqualTo(999_500 + i);
      }
    }
    assertThat(kept).as("of 500 busy requests").isGreaterThan(480);
    for (int i = 0; i < 100_000; i++) {
      endings.succeeded(i, 1_000_000 + i);
    }
    int all = 0;
    for (int i = 0; i < 100_000; i++) {
      all += endings.find(i) == null ? 0 : 1;
    }
    assertThat(all).isBetween(1_500, RecentEndings.CAPACITY);
  }

  @Test
  void endingThatIsForgotten_takesNoOtherWithIt() {
    RecentEndings<Integer> endings = new RecentEndings<>();
    endings.forget(1);
    RecentEndings.Removal dropped = new RecentEndings.Removal(false, "anna");
    for (int i = 0; i < 1_000; i++) {
      endings.removed(i, i, dropped);
    }
    for (int i = 0; i < 1_000; i++) {
      RecentEndings.Ending next = endings.find(i + 1);

      endings.forget(i);

      assertThat(endings.find(i)).isNull();
      assertThat(endings.find(i + 1)).as("after %d was forgotten", i).isEqualTo(next);
    }
    endings.succeeded(7, 5_000);
    assertThat(endings.find(7)).isEqualTo(new RecentEndings.Ending(5_000, null));
  }
}
