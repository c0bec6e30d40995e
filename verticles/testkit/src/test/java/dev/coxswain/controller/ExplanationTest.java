// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Presence;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is not in the queue was explained in the same words, whatever the cause. */
class ExplanationTest {
  private final VirtualTime time = new VirtualTime();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("view")
              .watches(new CachedSource())
              .reconciles((request, context) -> {
                if (request.name().equals("bad webhook")) {
                  throw new IllegalStateException(
                      "PUT x answered 403: admission webhook \"policy.example.com\" denied the"
                          + " request: no");
                }
                if (request.name().startsWith("bad")) {
                  throw new IllegalStateException("no");
                }
                return Result.done();
              }),
          time);

  private @Nullable Presence examined;
  private @Nullable Future<Presence> looked;

  private final class CachedSource extends SilentSource {
    @Override
    public Future<Presence> examine(Request request) {
      Future<Presence> wanted = looked;
      if (wanted != null) {
        return wanted;
      }
      Presence found = examined;
      return found == null ? super.examine(request) : Future.succeededFuture(found);
    }

    @Override
    public Presence presence(Request request) {
      return switch (request.name()) {
        case "there" -> Presence.HELD;
        case "outside" -> new Presence(Presence.State.LEFT_OUT, "Namespace is not watched.");
        case "odd" -> throw new NoSuchMethodError("old");
        case "moving" -> new Presence(Presence.State.LOADING, "Slot is being loaded.");
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
    kit.await(kit.handle().drop(new ItemId("ns", "good"), null, "anna", "INC-3"));
    time.advance(Duration.ofSeconds(5));
    Explanation why = explain("good");
    assertThat(why.reason().label()).isEqualTo("dropped");
    assertThat(why.endedBy()).isEqualTo("anna");
    assertThat(why.endedAt()).isEqualTo(at);
    assertThat(why.message())
        .startsWith("Not queued. Dropped by anna at ")
        .contains(" (INC-3).", "enqueue");

    kit.add(Request.of("ns", "good"));
    assertThat(explain("good").reason().label()).isEqualTo("succeeded");
  }

  @Test
  void flushed_saysByWhomAndWhen() {
    later("good");
    BulkRequest flush = BulkRequests.of(Action.FLUSH, ItemFilter.ALL, 10);
    kit.await(kit.handle().begin(flush, "bert", "INC-4").result());
    Explanation why = explain("good");
    assertThat(why.reason().label()).isEqualTo("flushed");
    assertThat(why.endedBy()).isEqualTo("bert");
    assertThat(why.message()).contains(" (INC-4).");
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
  void succeededAndGoneSince_isDeleted_andSaysHowItEnded() {
    kit.add(Request.of("ns", "gone"));
    Explanation why = explain("gone");
    assertThat(why.reason().label()).isEqualTo("deleted");
    assertThat(why.message())
        .startsWith("Not queued. The object was deleted. Last: Reconciled successfully at 2026-");
    assertThat(why.conditions()).containsExactly("The cache does not hold it.");
  }

  /** The whole replica waits: that is the first thing to say, whatever the item waits for. */
  @Test
  void blockerOfTheReplica_isTheFirstReasonOfEveryItem() {
    kit.add(Request.of("ns", "bad"));
    kit.add(Request.of("ns", "good"));
    later("later");
    kit.await(kit.handle().pause("INC-1", "anna", null));
    kit.conditions().raise(ConditionType.REPLICA_SUSPENDED, "Its Lease is late.");
    for (String name : new String[] {"bad", "later", "good", "there", "gone"}) {
      Explanation why = explain(name);
      assertThat(why.reason().label()).as(name).isEqualTo("replicaSuspended");
      assertThat(why.message())
          .as(name)
          .startsWith("Its Lease is late. The controller is paused by anna (INC-1)");
      assertThat(why.expectedStart()).as(name).isNull();
    }
    kit.conditions().raise(ConditionType.API_SERVER_UNREACHABLE, "No answer since noon.");
    Explanation why = explain("bad");
    assertThat(why.reason().label()).isEqualTo("apiServerUnreachable");
    assertThat(why.message()).startsWith("No answer since noon. Its Lease is late. ");
  }

  @Test
  void objectThatNoCacheHolds_isLookedUpWhereItIsKept() {
    examined = new Presence(Presence.State.LEFT_OUT, "Its labels {} do not match a=b.");
    Explanation why = explain("missing");
    assertThat(why.reason().label()).isEqualTo("leftOut");
    assertThat(why.message()).contains("Its labels {} do not match a=b.");
    examined = new Presence(Presence.State.LOADING, "It is on the way.");
    assertThat(explain("missing").reason().label()).isEqualTo("loading");
    examined = new Presence(Presence.State.ABSENT, "The API server has none.");
    assertThat(explain("missing").message()).contains("The API server has none.");
  }

  /** It is user code. */
  @Test
  void sourceThatFailsToLookUp_isUnknown() {
    for (Future<Presence> broken :
        List.of(Future.<Presence>failedFuture("no"), Future.<Presence>succeededFuture(null))) {
      looked = broken;
      assertThat(explain("missing").reason().label()).isEqualTo("notTracked");
    }
  }

  @Test
  void slotThatIsBeingLoaded_isNoWrongName() {
    assertThat(explain("moving").reason().label()).isEqualTo("loading");
    assertThat(explain("moving").message()).isEqualTo("Not queued yet. Slot is being loaded.");
  }

  @Test
  void itemThatIsLeftOutByNow_saysSo() {
    kit.sink().addAfter(Request.of("ns", "outside"), Duration.ofHours(1), 0, Trigger.EVENT);
    time.settle();
    Explanation why = explain("outside");
    assertThat(why.reason().label()).isEqualTo("scheduled");
    assertThat(why.conditions())
        .containsExactly("Namespace is not watched. No further event of it arrives.");
  }

  @Test
  void refusalByAWebhook_namesIt() {
    kit.add(Request.of("ns", "bad webhook"));
    Explanation why = explain("bad webhook");
    assertThat(why.reason().label()).isEqualTo("writeDenied");
    assertThat(why.message())
        .startsWith("Admission webhook \"policy.example.com\" denied a write of the last attempt")
        .contains("the next attempt is due at ");
    assertThat(why.expectedStart()).isNotNull();
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
}
