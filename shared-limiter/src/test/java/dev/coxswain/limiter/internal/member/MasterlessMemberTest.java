// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.coxswain.limiter.internal.hazelcast.PoolMember;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * Two real members, one of which is brought into the state that Hazelcast 5.7.0 leaves it in when
 * it joins while it claims to be the master itself. Seen after a cut of 35 s: the member refused
 * every table of partitions for 18 s, was alone then, and its replica had its floor alone until
 * then.
 */
class MasterlessMemberTest extends MembersFixture {
  @Test
  void aMemberThatJoinedAndKnowsNoMaster_joinsAfresh() throws Exception {
    List<Integer> ports = FreePorts.find(2);
    List<String> joined = new CopyOnWriteArrayList<>();
    start(0, ports, _ -> {});
    LimiterMember member = start(1, ports, joined::add);
    Await.until("both", () -> member.status().members() == 2, member::status);
    HazelcastInstance first = running(ports.get(1));

    PoolMember.cluster(first).setMasterAddressToJoin(null); // it warns, and does it all the same

    Await.until("another one", () -> joined.size() == 2, member::status);
    Await.until("both again", () -> member.status().members() == 2, member::status);
    assertThat(first.getLifecycleService().isRunning()).isFalse();
    assertThat(PoolMember.cluster(running(ports.get(1))).getMasterAddress()).isNotNull();
  }

  private static HazelcastInstance running(int port) {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(made -> LostConnectionTest.isAt(made, "127.0.0.1:" + port))
        .findFirst()
        .orElseThrow();
  }
}
