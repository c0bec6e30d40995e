// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A controller whose sources do not sync in time says so, and begins as soon as they have. */
class SyncTimeoutTest {

  private static final Request REQUEST = Request.of("shop", "cart");
  private static final Duration LIMIT = ControllerOptions.DEFAULT_SYNC_TIMEOUT;

  private final VirtualTime time = new VirtualTime();
  private final StagedSource ships = StagedSource.synced("ships");
  private final StagedSource ports = new StagedSource("ports");
  private final StagedSource crews = new StagedSource("crews");
  private final List<Request> reconciled = new ArrayList<>();

  private ControllerTestKit<Request> started(Duration limit) {
    return ControllerTestKit.of(
        Controller.named("fleet")
            .options(options -> options.withSyncTimeout(limit))
            .watches(ships)
            .watches(ports)
            .watches(crews)
            .reconciles((request, context) -> {
              reconciled.add(request);
              return Result.done();
            }),
        time);
  }

  private static List<String> conditions(ControllerTestKit<Request> kit) {
    return kit.handle().status().conditions().stream().map(Condition::message).toList();
  }

  @Test
  void afterTheLimit_theConditionNamesWhatDidNotSync_andWhy() {
    ControllerTestKit<Request> kit = started(LIMIT);
    ports.problem = "answers 403";
    kit.sink().add(REQUEST);
    time.advance(LIMIT.minusNanos(1));
    assertThat(conditions(kit)).isEmpty();
    assertThat(kit.handle().status().state()).isEqualTo(State.SYNCING);

    time.advance(Duration.ofNanos(1));
    assertThat(conditions(kit))
        .containsExactly(
            "did not sync within 2m: source \"ports\" (answers 403), source \"crews\" (it is still"
                + " listing)");
    assertThat(kit.handle().status().conditions().getFirst().type())
        .isEqualTo(ConditionType.SYNC_TIMED_OUT);
    assertThat(kit.handle().status().state()).isEqualTo(State.NOT_SYNCED);
    assertThat(kit.synced().isComplete()).isFalse();
    assertThat(reconciled).isEmpty();

    ports.problem = "answers 404";
    crews.synced.complete();
    assertThat(conditions(kit))
        .containsExactly("did not sync within 2m: source \"ports\" (answers 404)");
  }

  @Test
  void sourcesThatSyncAfterTheLimit_startTheController() {
    ControllerTestKit<Request> kit = started(LIMIT);
    kit.sink().add(REQUEST);
    time.advance(Duration.ofMinutes(7));
    assertThat(kit.handle().status().state()).isEqualTo(State.NOT_SYNCED);
    assertThat(ports.isRunning()).isTrue();

    ports.synced.complete();
    crews.synced.complete();
    time.settle();
    assertThat(kit.synced().succeeded()).isTrue();
    assertThat(kit.handle().status().state()).isEqualTo(State.RUNNING);
    assertThat(conditions(kit)).isEmpty();
    assertThat(reconciled).containsExactly(REQUEST);
  }

  @Test
  void sourcesThatSyncInTime_areNeverReported() {
    ControllerTestKit<Request> kit = started(LIMIT);
    time.advance(LIMIT.minusNanos(1));
    ports.synced.complete();
    crews.synced.complete();
    time.settle();
    time.advance(Duration.ofHours(1));
    assertThat(kit.handle().status().state()).isEqualTo(State.RUNNING);
    assertThat(conditions(kit)).isEmpty();
  }

  @Test
  void zero_isNoLimit() {
    ControllerTestKit<Request> kit = started(Duration.ZERO);
    time.advance(Duration.ofDays(30));
    assertThat(kit.handle().status().state()).isEqualTo(State.SYNCING);
    assertThat(conditions(kit)).isEmpty();
  }

  @Test
  void stop_endsTheCondition() {
    ControllerTestKit<Request> kit = started(LIMIT);
    time.advance(LIMIT);
    kit.stop(Duration.ZERO);
    assertThat(conditions(kit)).isEmpty();
    assertThat(kit.handle().status().state()).isEqualTo(State.STOPPED);
    assertThat(ports.stops).isEqualTo(1);
  }
}
