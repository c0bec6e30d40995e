// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.budget.SharedRetryBudget;
import dev.coxswain.retry.RetryBudget;
import io.vertx.core.Vertx;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A replica that wants to retry all the time, in a process of its own: {@code ORDINAL ADDRESSES
 * SERVICE RATE BURST FILE}, with the address of each replica, and an empty service when the members
 * find each other by these. Writes the time of each start into the file, and its state to standard
 * output whenever it changes. Runs until it is killed, or its standard input ends.
 */
public final class LimiterProcess {
  private LimiterProcess() {}

  /** Runs the replica. */
  public static void main(String[] args) throws Exception {
    int ordinal = Integer.parseInt(args[0]);
    List<String> addresses = List.of(args[1].split(",", -1));
    String service = args[2];
    LimiterSpec spec =
        new LimiterSpec("default", Double.parseDouble(args[3]), Integer.parseInt(args[4]));
    Path file = Path.of(args[5]);
    String[] self = addresses.get(ordinal).split(":", -1);
    MemberOptions options =
        MemberOptions.of("replica-" + ordinal)
            .withHost(self[0])
            .withPort(Integer.parseInt(self[1]))
            .withClusterName("test-" + args[1].hashCode())
            .withMaxReplicas(addresses.size())
            .withFloorShare(0.2)
            .withViewAge(Duration.ofSeconds(1));
    LimiterMember member =
        LimiterMember.create(
            Vertx.vertx(),
            service.isEmpty() ? options.withMembers(addresses) : options.withService(service),
            new AllHoldLeases(
                new Lease(ordinal, System.nanoTime()), addresses.size(), Set.copyOf(addresses)),
            address -> {});
    SharedRetryBudget budget = (SharedRetryBudget) member.budget(spec);
    member.start().await();
    Thread.ofPlatform().daemon().start(() -> retry(budget, file));
    tell(member);
    System.exit(0);
  }

  /** All replicas hold their Leases for ever and have said where their members listen. */
  private record AllHoldLeases(Lease lease, int liveReplicas, Set<String> memberAddresses)
      implements PermissiveView {

    @Override
    public boolean holdsLease(String address) {
      return memberAddresses.contains(address);
    }
  }

  private static void tell(LimiterMember member) throws Exception {
    String before = "";
    while (System.in.available() == 0) {
      LimiterStatus status = member.status();
      LimiterStatus.Limiter limiter = status.limiters().getFirst();
      String now =
          "members="
              + status.members()
              + " owner="
              + member.ownsPool("default")
              + " pool="
              + (limiter.degraded() == null && limiter.grantedByPool() > 0);
      if (!now.equals(before)) {
        System.out.println(now);
        before = now;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static void retry(SharedRetryBudget budget, Path file) {
    Semaphore woken = new Semaphore(0);
    RetryBudget.Waiter waiter = budget.openWaiter("all", woken::release);
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        long wait = waiter.tryAcquire(1_000);
        if (wait == 0) {
          out.write((budget.lastStart() + "\n").getBytes(StandardCharsets.US_ASCII));
        } else if (woken.tryAcquire(wait, TimeUnit.NANOSECONDS)) {
          woken.drainPermits();
        }
      }
    } catch (java.io.IOException | InterruptedException e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
