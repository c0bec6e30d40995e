// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.notice.Notices;
import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.Pause;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a replica reports about the whole cluster, and what it takes for old. */
class TimelineWatchTest {

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Vertx vertx = Vertx.vertx();
  private final VirtualTime time = new VirtualTime();
  private final FakeController demo = new FakeController("demo");
  private final Replica first = new Replica("coxswain-0");

  @AfterEach
  void close() {
    demo.close();
    vertx.close().await();
  }

  /** The watch of one replica, and what it has reported. */
  private final class Replica {
    final FakeDirectory directory;
    final List<ClusterNotice> notices = new ArrayList<>();
    final TimelineLog log;
    final TimelineWatch watch;

    Replica(String name) {
      directory = new FakeDirectory(name);
      log =
          new TimelineLog(
              directory, new History(directory, new JsonWork(vertx, Runnable::run)), time);
      watch = new TimelineWatch(directory, log, new Notices(notices::add, time), time);
    }

    Replica running() {
      directory.handles.put("demo", demo);
      return this;
    }

    void look() {
      time.advance(LOOK);
      watch.look();
    }

    List<String> reasons() {
      return notices.stream().map(ClusterNotice::reason).toList();
    }

    long count(TimelineType type) {
      return messages(type).size();
    }

    List<String> messages(TimelineType type) {
      return log.youngestFirst().stream()
          .filter(event -> event.type().equals(type.label()))
          .map(TimelineEvent::message)
          .toList();
    }
  }

  private Pause paused(@Nullable Duration length) {
    Instant now = time.instant();
    return new Pause("INC-7", "alice", now, length == null ? null : now.plus(length));
  }

  @Test
  void aPause_andItsEnd_areOneNoticeEach_onReplicasThatLookAtDifferentTimes() {
    Replica second = new Replica("coxswain-1").running();
    first.running().look();
    second.look();
    demo.pause = paused(Duration.ofMinutes(1));
    first.look();
    second.look();
    time.advance(Duration.ofMinutes(1));
    demo.pause = null;
    first.look();
    second.look();
    assertThat(first.reasons()).containsExactly("Paused", "PauseEnded");
    assertThat(second.notices)
        .extracting(ClusterNotice::id)
        .isEqualTo(first.notices.stream().map(ClusterNotice::id).toList());
    assertThat(first.count(TimelineType.PAUSE_ENDED)).isEqualTo(1);
  }

  /** As after a failover: each such start wrote that somebody had paused it. */
  @Test
  void aControllerThatStartsHereLater_withAnOldPause_isNoNotice() {
    first.look();
    demo.pause = paused(null);
    time.advance(Duration.ofHours(3));
    first.running().look();
    assertThat(first.notices).isEmpty();
  }

  @Test
  void aPauseFromBeforeTheStartOfTheReplica_isNoNotice_andItsEndIs() {
    demo.pause = paused(Duration.ofSeconds(30));
    first.look();
    first.running().look();
    assertThat(first.notices).isEmpty();
    time.advance(Duration.ofSeconds(30));
    demo.pause = null;
    first.look();
    assertThat(first.reasons()).containsExactly("PauseEnded");
  }

  @Test
  void aPauseThatWasEnded_orOfAControllerThatStopsHere_hasNotEndedByItself() {
    first.running().look();
    demo.pause = paused(Duration.ofHours(1));
    first.look();
    demo.pause = null;
    first.look();
    demo.pause = paused(Duration.ofHours(1));
    first.look();
    first.directory.handles.clear();
    first.look();
    assertThat(first.reasons()).containsExactly("Paused", "Paused");
    assertThat(first.count(TimelineType.PAUSE_ENDED)).isZero();
  }

  private ReplicaInfo info(String identity, boolean pool) {
    return new ReplicaInfo("coxswain-1", identity, 1, Instant.EPOCH, "1", pool, Map.of());
  }

  /** Writing loads JSON, which must not hold up the start; what has changed meanwhile is written. */
  @Test
  void theFirstLook_writesNothing_andTheSecondOneThatTheReplicaHasStartedThen() {
    first.look();
    Instant started = time.instant();
    assertThat(first.log.youngestFirst()).isEmpty();
    first.directory.replicas.add(info("coxswain-1_a", true));
    first.look();
    first.look();
    assertThat(first.log.youngestFirst())
        .extracting(TimelineEvent::type, TimelineEvent::at)
        .containsExactly(
            tuple(TimelineType.REPLICA_JOINED.label(), started.plus(LOOK)),
            tuple(TimelineType.REPLICA_STARTED.label(), started));
  }

  /** It has nothing to hand over, so nothing shows for a second that it is leaving. */
  @Test
  void aReplicaThatHasReleasedItsLease_isNotLost_withoutBeingSeenLeaving() {
    first.directory.replicas.add(info("coxswain-1_a", true));
    first.look();
    first.directory.replicas.clear();
    first.directory.released.add("coxswain-1_a");
    first.look();
    assertThat(first.notices).isEmpty();
    assertThat(first.count(TimelineType.REPLICA_LEFT)).isEqualTo(1);
  }

  @Test
  void aReplicaThatDies_isLost_alsoWhenItWasDrained_andWhenItsRunBeforeWasStopped() {
    FakeSlots slots = new FakeSlots().spread(2);
    slots.live(1, 0);
    first.directory.slots = slots.at(0);
    first.directory.released.add("coxswain-1_a");
    first.directory.replicas.add(info("coxswain-1_b", true));
    first.look();
    first.directory.replicas.clear();
    slots.end(1);
    first.look();
    assertThat(first.reasons()).containsExactly("ReplicaLost");
  }

  @Test
  void aReplicaThatPublishesSomethingElse_hasNotJoinedAgain() {
    first.directory.replicas.add(info("coxswain-1_a", false));
    first.look();
    first.directory.replicas.set(0, info("coxswain-1_a", true));
    first.look();
    assertThat(first.count(TimelineType.REPLICA_JOINED)).isZero();
  }

  @Test
  void aMoveOfSlots_isOneEvent_whenTheyHaveStayedForFiveLooks() {
    FakeSlots slots = new FakeSlots().spread(2);
    first.directory.slots = slots.at(0);
    looks(20);
    assertThat(first.count(TimelineType.SLOTS_MOVED)).isZero();
    slots.set(0, FakeSlots.owner(1));
    looks(5);
    slots.set(2, FakeSlots.owner(1));
    looks(5);
    assertThat(first.count(TimelineType.SLOTS_MOVED)).isZero();
    looks(1);
    assertThat(first.messages(TimelineType.SLOTS_MOVED))
        .containsExactly("Slots have moved: coxswain-0 4 -> 2, coxswain-1 4 -> 6.");
    looks(20);
    assertThat(first.count(TimelineType.SLOTS_MOVED)).isEqualTo(1);
  }

  private void looks(int count) {
    for (int i = 0; i < count; i++) {
      first.look();
    }
  }
}
