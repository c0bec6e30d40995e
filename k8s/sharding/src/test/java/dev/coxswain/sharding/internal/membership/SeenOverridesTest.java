// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.lease.LeaseRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A replica that has seen no override of a limiter in any Lease can rely on it that there is none. */
class SeenOverridesTest extends ReplicaLeaseFixture {

  @Test
  void replicasThatHaveAllJustStarted_seeNoOverride_fromTheirFirstStepOn() {
    a.step();
    b.step();
    assertThat(a.othersListed()).isTrue();
    assertThat(a.overrideSeen()).isFalse();
    assertThat(b.othersListed()).isTrue();
    assertThat(b.overrideSeen()).isFalse();
  }

  @Test
  void overrideOfAnotherReplica_isSeen_andItsEndDoesNotUndoThat() {
    a.step();
    b.step();
    overridden.add("a");
    live(Duration.ofSeconds(3), a, b);
    assertThat(b.overrideSeen()).isTrue();
    assertThat(a.overrideSeen()).as("one's own is not another's").isFalse();
    overridden.clear();
    live(Duration.ofSeconds(5), a, b);
    assertThat(b.overrideSeen()).isTrue();
  }

  @Test
  void leaseOfAReplicaThatWritesNothingOfOverrides_doesNotRuleThemOut() {
    leases.put(
        LeaseRecord.unheld("ns", "replica-1")
            .heldBy("older_1", 15, Instant.EPOCH)
            .marked(ReplicaLeaseTable.LABEL, "replica", Map.of()));
    a.step();
    assertThat(a.overrideSeen()).isTrue();
  }

  @Test
  void olderVersionThatTookTheLeaseOfANewerOne_doesNotRuleOverridesOut() {
    a.step();
    a.resign();
    a.release();
    LeaseRecord left = leases.get("replica-0").orElseThrow();
    assertThat(left.annotation(ReplicaLeaseTable.OVERRIDE)).isEqualTo("none a_1");
    leases.put(left.heldBy("older_1", 15, Instant.EPOCH));
    b.step();
    assertThat(b.overrideSeen()).isTrue();
  }

  @Test
  void overrideOfAReplicaThatDied_isPassedOn_byWhoeverTakesItsLeaseOrReleasesIt() {
    overridden.add("a");
    a.step();
    b.step();
    overridden.clear();
    live(Duration.ofSeconds(20), b); // releases the Lease of a
    assertThat(b.status().taken()).hasSize(1);
    c.step();
    assertThat(c.overrideSeen()).as("passed on by b").isTrue();
    live(Duration.ofSeconds(20), c);
    ReplicaLeaseHolder last = holder("last", "one");
    last.step();
    assertThat(last.overrideSeen()).as("passed on by c").isTrue();
  }
}
