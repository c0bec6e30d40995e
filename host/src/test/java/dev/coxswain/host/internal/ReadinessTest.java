// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.controllers.ControllerManager.ControllerState;
import dev.coxswain.host.internal.controllers.ControllerPhase;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadinessTest {

  private final VirtualTime time = new VirtualTime();
  private final List<ControllerState> controllers = new ArrayList<>();
  private final List<Check> election = new ArrayList<>();
  private final Readiness readiness =
      new Readiness(
          () -> List.copyOf(controllers),
          () -> election,
          () -> List.of("admin API", "limiter"),
          false,
          time);

  @Test
  void aReplicaIsReady_fromTheEndOfItsStart_toTheBeginningOfItsStop() {
    controllers.add(new ControllerState("well", ControllerPhase.RUNNING, null, List.of()));
    assertThat(ready()).isFalse();
    readiness.groupsStarted();
    assertThat(ready()).isTrue();
    readiness.stopping();
    assertThat(ready()).isFalse();
    assertThat(readiness.started()).allMatch(check -> check.problem() == null);
  }

  @Test
  void aReplicaThatStarts_namesWhatItWaitsFor() {
    assertThat(readiness.started())
        .containsExactly(Check.of("start", "starting, waiting for admin API, limiter"));
  }

  @Test
  void aStopDuringTheStart_isNotUndoneByTheEndOfTheStart() {
    readiness.stopping();
    readiness.groupsStarted();
    assertThat(ready()).isFalse();
  }

  @Test
  void aControllerThatHasNotSeenEverything_holdsReadinessForAMinute_ifAnotherIsWell() {
    controllers.add(new ControllerState("slow", ControllerPhase.SYNCING, null, List.of()));
    controllers.add(new ControllerState("well", ControllerPhase.RUNNING, null, List.of()));
    readiness.groupsStarted();
    assertThat(ready()).isFalse();
    time.advance(Duration.ofSeconds(61));
    assertThat(ready()).isTrue();
    assertThat(readiness.ready())
        .contains(Check.shown("controller/slow", "syncing: not all objects listed yet"));
  }

  /** A roll-out of an image without its jars must not replace what works. */
  @Test
  void withoutAnyController_aReplicaIsNotReady() {
    readiness.groupsStarted();
    assertThat(ready()).isFalse();
    assertThat(readiness.ready())
        .contains(
            Check.of(
                "controllers",
                "no controllers on the class path, or none enabled in the configuration"));
  }

  @Test
  void whenNoControllerIsWell_timeDoesNotMakeTheReplicaReady() {
    controllers.add(new ControllerState("slow", ControllerPhase.SYNCING, null, List.of()));
    readiness.groupsStarted();
    time.advance(Duration.ofHours(1));
    assertThat(ready()).isFalse();
  }

  @Test
  void anElectionWithoutAWinner_holdsReadiness() {
    controllers.add(new ControllerState("elsewhere", ControllerPhase.STANDBY, null, List.of()));
    election.add(Check.of("leader-election", "nobody"));
    readiness.groupsStarted();
    assertThat(ready()).isFalse();
    election.set(0, Check.of("leader-election", null));
    assertThat(ready()).isTrue();
  }

  @Test
  void aBrokenController_isShown_andOneInStandbyIsFine() {
    controllers.add(new ControllerState("broken", ControllerPhase.FAILED, "no type", List.of()));
    controllers.add(new ControllerState("elsewhere", ControllerPhase.STANDBY, null, List.of()));
    readiness.groupsStarted();
    assertThat(ready()).isTrue();
    assertThat(readiness.ready())
        .contains(Check.shown("controller/broken", "cannot be started: no type"))
        .contains(Check.of("controller/elsewhere", null));
  }

  @Test
  void aStandingProblem_isShown_andFailsReadiness_whenTheControllerCannotWork() {
    Condition stuck =
        new Condition(ConditionType.WORKERS_EXHAUSTED, Instant.EPOCH, "no attempt ends");
    Condition deaf = new Condition(ConditionType.SOURCE_FAILED, Instant.EPOCH, "it ended");
    controllers.add(new ControllerState("demo", ControllerPhase.RUNNING, null, List.of(stuck)));
    readiness.groupsStarted();
    assertThat(ready()).isTrue();
    assertThat(readiness.ready())
        .contains(Check.of("controller/demo", null))
        .contains(Check.shown("controller/demo/workersExhausted", "no attempt ends"));
    controllers.set(
        0, new ControllerState("demo", ControllerPhase.RUNNING, null, List.of(stuck, deaf)));
    assertThat(ready()).isFalse();
    assertThat(readiness.ready()).contains(Check.of("controller/demo/sourceFailed", "it ended"));
  }

  /** A redeployment, and a plug-in with a missing type, must not take the others out of service. */
  @Test
  void aControllerOfAPlugin_holdsReadinessOnlyDuringTheStart() {
    Condition deaf = new Condition(ConditionType.SOURCE_FAILED, Instant.EPOCH, "it ended");
    controllers.add(
        new ControllerState("added", ControllerPhase.SYNCING, null, List.of(deaf), true, false));
    readiness.groupsStarted();
    assertThat(ready()).isFalse();
    time.advance(Duration.ofSeconds(61));
    assertThat(ready()).isTrue();
    assertThat(readiness.ready())
        .contains(Check.shown("controller/added/sourceFailed", "it ended"));
  }

  /** Watched namespaces that change must not take webhooks out of service. */
  @Test
  void controllersThatSyncAgain_doNotMakeAReplicaUnready() {
    controllers.add(
        new ControllerState("again", ControllerPhase.SYNCING, null, List.of(), false, true));
    readiness.groupsStarted();
    assertThat(ready()).isTrue();
  }

  @Test
  void withAFolderForPlugins_aReplicaWithoutControllersIsReady() {
    Readiness empty = new Readiness(List::of, List::of, List::of, true, time);
    empty.groupsStarted();
    assertThat(empty.ready()).noneMatch(check -> check.counts() && check.problem() != null);
  }

  private boolean ready() {
    return readiness.ready().stream().noneMatch(check -> check.counts() && check.problem() != null);
  }
}
