// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.spi.Clock;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemberOwnerTest {
  private final MemberOwner owner =
      new MemberOwner(ReplicaView.fixed(new Lease(0, 0), 1), Clock.system());
  private Set<Member> members = Set.of();

  /** Returns something that answers one method, as Hazelcast's own would. */
  private static <T> T answering(Class<T> type, String method, Supplier<?> how) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (!called.getName().equals(method)) {
                throw new UnsupportedOperationException(called.toString());
              }
              return how.get();
            }));
  }

  /** As Hazelcast does: with each change another set, which never changes. */
  private static Set<Member> set(List<Member> of) {
    Set<Member> made = Collections.newSetFromMap(new IdentityHashMap<>());
    made.addAll(of);
    return Collections.unmodifiableSet(made);
  }

  @Test
  void beforeItHasJoined_thereIsNoMajority() {
    assertThat(owner.hasMajority(1)).isFalse();
    assertThat(owner.hasBackup("default", 1)).isFalse();
  }

  @Test
  void majority_isThatOfTheMembersOfThisMoment_howeverOftenTheyChange() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    List<Member> all =
        IntStream.range(0, 5)
            .mapToObj(i -> new Address(InetAddress.getLoopbackAddress(), 1_000 + i))
            .map(address -> answering(Member.class, "getAddress", () -> address))
            .toList();
    owner.joined(answering(Cluster.class, "getMembers", () -> members), limiter -> true);
    for (int round = 0; round < 1_000; round++) {
      int count = random.nextInt(all.size() + 1);
      if (random.nextBoolean()) {
        members = set(all.subList(0, count));
      }
      int live = 1 + random.nextInt(5);
      assertThat(owner.hasMajority(live))
          .as("seed %s, %s members of %s", seed, members.size(), live)
          .isEqualTo(members.size() > live / 2);
    }
  }
}
