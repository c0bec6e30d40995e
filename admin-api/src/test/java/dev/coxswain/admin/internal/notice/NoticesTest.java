// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.notice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is a notice, and that replicas which see the same make the same one. */
class NoticesTest {

  private static final Map<String, String> DEGRADED = Map.of("default", "no majority");

  private final VirtualTime time = new VirtualTime();
  private final List<ClusterNotice> first = new ArrayList<>();
  private final List<ClusterNotice> second = new ArrayList<>();
  private final Notices one = new Notices(first::add, time);
  private final Notices other = new Notices(second::add, time);

  private ReplicaInfo replica(String name) {
    return new ReplicaInfo(name, name + "_1", 2, Instant.EPOCH, "1", true, Map.of());
  }

  private List<String> reasons() {
    return first.stream().map(ClusterNotice::reason).toList();
  }

  @Test
  void aReplicaThatDied_isTheSameNoticeOfAllThatSawIt_atWhateverTime() {
    one.replicaLeft(replica("coxswain-2"), false);
    time.advance(Duration.ofMinutes(11));
    other.replicaLeft(replica("coxswain-2"), false);
    assertThat(first).singleElement().matches(ClusterNotice::warning);
    assertThat(second).extracting(ClusterNotice::id).containsExactly(first.getFirst().id());
    assertThat(first.getFirst().id()).matches("[0-9a-f]{20}");
  }

  @Test
  void aReplicaThatDiedAgain_isAnotherNotice() {
    one.replicaLeft(replica("coxswain-2"), false);
    one.replicaLeft(
        new ReplicaInfo(
            "coxswain-2", "coxswain-2_2", 2, Instant.EPOCH.plusSeconds(60), "1", true, Map.of()),
        false);
    assertThat(first).extracting(ClusterNotice::id).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void aRollOut_isNoNotice() {
    one.replicaLeft(replica("coxswain-2"), true);
    assertThat(first).isEmpty();
  }

  @Test
  void aLimiter_isANoticeOnceItIsDegradedForLong_andWhenItHasRecovered() {
    one.limiters(DEGRADED);
    time.advance(Notices.DEGRADED_FOR.minusSeconds(1));
    one.limiters(DEGRADED);
    assertThat(first).isEmpty();
    time.advance(Duration.ofSeconds(1));
    one.limiters(DEGRADED);
    one.limiters(DEGRADED);
    assertThat(reasons()).containsExactly("LimiterDegraded");
    one.limiters(Map.of());
    one.limiters(Map.of());
    assertThat(reasons()).containsExactly("LimiterDegraded", "LimiterRecovered");
  }

  @Test
  void aLimiterThatIsDegradedForAMoment_asAtAStart_isNoNotice() {
    one.limiters(DEGRADED);
    time.advance(Notices.DEGRADED_FOR.minusSeconds(1));
    one.limiters(Map.of());
    time.advance(Notices.DEGRADED_FOR);
    one.limiters(DEGRADED);
    one.limiters(Map.of());
    assertThat(first).isEmpty();
  }

  @Test
  void aControllerWithoutOwner_isANoticeAfterAWhile_andOnceUntilItHasOne() {
    Instant since = time.instant();
    List<IdleController> unowned =
        List.of(new IdleController("demo", IdlePhase.STANDBY, since, "coxswain-1", false));
    one.idle(unowned);
    assertThat(first).isEmpty();
    time.advance(Notices.UNOWNED_FOR);
    one.idle(unowned);
    one.idle(unowned);
    assertThat(first)
        .singleElement()
        .satisfies(notice -> assertThat(notice.note()).contains("demo", "coxswain-1"));
    one.idle(List.of());
    time.advance(Notices.SAME);
    one.idle(unowned);
    assertThat(first).hasSize(2);
  }

  @Test
  void controllersThatAnotherReplicaRuns_areNoNotice() {
    List<IdleController> idle =
        List.of(
            new IdleController("a", IdlePhase.STANDBY, time.instant(), "coxswain-1", true),
            new IdleController("b", IdlePhase.STOPPED, time.instant(), null, false));
    time.advance(Notices.UNOWNED_FOR);
    one.idle(idle);
    assertThat(first).isEmpty();
  }

  @Test
  void anOutageOfTheApiServer_isANoticeWhenItHasEnded_onceForAllReplicas() {
    one.conditionBegan("apiServerUnreachable");
    other.conditionBegan("apiServerUnreachable");
    assertThat(first).isEmpty();
    time.advance(Duration.ofSeconds(45));
    one.conditionEnded("apiServerUnreachable");
    other.conditionEnded("apiServerUnreachable");
    one.conditionEnded("replicaSuspended");
    assertThat(first)
        .singleElement()
        .satisfies(notice -> assertThat(notice.note()).contains("45 s"));
    assertThat(second).extracting(ClusterNotice::id).containsExactly(first.getFirst().id());
  }

  @Test
  void aPause_isTheSameNoticeOnEachReplica_andItsEndAnother() {
    Pause pause = new Pause("INC-7", "alice", time.instant(), time.instant().plusSeconds(60));
    one.paused("demo", "", pause);
    time.advance(Duration.ofSeconds(3));
    other.paused("demo", "", pause);
    one.pauseEnded("demo", "", pause.until());
    assertThat(second.getFirst().id()).isEqualTo(first.getFirst().id());
    assertThat(first.getFirst().note()).contains("alice", "controller demo", "INC-7");
    assertThat(reasons()).containsExactly("Paused", "PauseEnded");
  }

  @Test
  void aRefusedConfiguration_andAFailedPlugin_areNotRepeatedWithinAnHour() {
    for (int i = 0; i < 3; i++) {
      one.configurationRejected(List.of("host.yaml:3: unknown key"));
      one.pluginFailed("copier", "failed: no class");
    }
    assertThat(reasons()).containsExactly("ConfigurationRejected", "PluginFailed");
    time.advance(Duration.ofHours(1));
    one.pluginFailed("copier", "failed: no class");
    assertThat(first).hasSize(3);
  }

  @Test
  void aNote_isShortEnoughForAnEvent() {
    one.configurationRejected(IntStream.range(0, 1_000).mapToObj(i -> "error " + i).toList());
    assertThat(first.getFirst().note().length()).isLessThanOrEqualTo(1_000);
  }
}
