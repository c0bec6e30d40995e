// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterEventWriterTest {

  private final Vertx vertx = Vertx.vertx();
  private final VirtualTime time = new VirtualTime();
  private final List<String> written = new CopyOnWriteArrayList<>();
  private volatile int code;

  private final ClusterEventWriter writer =
      new ClusterEventWriter(
          notice -> {
            written.add(notice.id());
            if (code != 0) {
              throw new ApiStatusException(code, "reason", "message", null, null);
            }
          },
          vertx,
          time);

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private static ClusterNotice notice(int id) {
    return new ClusterNotice("id" + id, Instant.EPOCH, true, "ReplicaLost", "gone");
  }

  /** Adds a notice, and waits until it is written when it is. */
  private void add(int id) {
    add(id, true);
  }

  private void add(int id, boolean isWritten) {
    writer.add(notice(id));
    if (isWritten) {
      Await.until("the write of " + id, () -> written.contains("id" + id) && writer.isIdle());
    }
  }

  @Test
  void moreThanAFewInAMinute_areDroppedAndCounted_andTheNextMinuteHasItsOwn() {
    for (int i = 0; i < ClusterEventWriter.PER_MINUTE; i++) {
      add(i);
    }
    add(100, false);
    add(101, false);
    assertThat(writer.dropped()).isEqualTo(2);
    time.advance(Duration.ofMinutes(1));
    add(102);
    assertThat(written).hasSize(ClusterEventWriter.PER_MINUTE + 1).doesNotContain("id100", "id101");
  }

  @Test
  void withoutTheRight_nothingIsTriedForAnHour() {
    code = 403;
    add(1);
    add(2, false);
    time.advance(ClusterEventWriter.REFUSED_FOR.minusSeconds(1));
    add(3, false);
    assertThat(written).containsExactly("id1");
    time.advance(Duration.ofSeconds(1));
    code = 0;
    add(4);
    add(5);
    assertThat(written).containsExactly("id1", "id4", "id5");
  }

  @Test
  void anEventThatExists_orCannotBeWritten_isNotTriedAgain_andTheNextOneIs() {
    code = 409;
    add(1);
    code = 500;
    add(2);
    code = 0;
    add(3);
    assertThat(written).containsExactly("id1", "id2", "id3");
    assertThat(writer.dropped()).isZero();
  }

  @Test
  void slowWrites_areBounded_andHoldNobodyUp() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    ClusterEventWriter slow =
        new ClusterEventWriter(
            _ -> {
              try {
                go.await(1, TimeUnit.MINUTES);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            vertx,
            time);
    for (int i = 0; i <= ClusterEventWriter.AT_ONCE; i++) {
      slow.add(notice(i));
    }
    assertThat(slow.dropped()).isEqualTo(1);
    go.countDown();
    Await.until("the end of all", slow::isIdle);
  }
}
