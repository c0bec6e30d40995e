// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.testing.Await;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** Real members of two replicas in this process. */
abstract class MembersFixture {
  private final Vertx vertx = Vertx.vertx();
  final List<LimiterMember> members = new ArrayList<>();

  @AfterEach
  void stop() {
    members.forEach(member -> Await.get(member.stop()));
    Await.get(vertx.close());
  }

  /** Starts the member of a replica; {@code joined} receives the addresses of others. */
  LimiterMember start(int ordinal, List<Integer> ports, Consumer<String> joined) {
    LimiterMember member =
        LimiterMember.create(
            vertx,
            MemberOptions.of("replica-" + ordinal)
                .withPort(ports.get(ordinal))
                .withMembers(ports.stream().map(port -> "127.0.0.1:" + port).toList())
                .withClusterName("members-" + ports.getFirst())
                .withViewAge(Duration.ofMillis(10)),
            ReplicaView.fixed(new Lease(ordinal, System.nanoTime()), 2),
            joined);
    members.add(member);
    Await.get(member.start());
    return member;
  }
}
