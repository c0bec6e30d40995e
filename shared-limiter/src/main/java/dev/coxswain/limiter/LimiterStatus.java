// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.retry.BudgetSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What can be shown of the shared limiter on this replica.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of this replica
 * @param state whether the member runs
 * @param members how many members this one sees in its cluster, itself included; 0 when it does not
 *     run
 * @param majority how many of them the pool needs
 * @param address where the member listens, null when it does not
 * @param owned the limiters whose pool was changed on this replica during the last two seconds: it
 *     keeps their state
 * @param backedUp the limiters whose pool was changed elsewhere meanwhile, with the backup kept
 *     here
 * @param limiters the limiters of this replica, by name
 */
public record LimiterStatus(
    String replica,
    State state,
    int members,
    int majority,
    @Nullable String address,
    Set<String> owned,
    Set<String> backedUp,
    List<Limiter> limiters) {

  /** Whether the member runs. */
  public enum State {
    /** It was not started. */
    NEW,
    /** It starts and joins. */
    STARTING,
    /** It runs. */
    RUNNING,
    /** It could not be started; only floors work. */
    FAILED,
    /** It was stopped. */
    STOPPED
  }

  public LimiterStatus {
    owned = Set.copyOf(owned);
    backedUp = Set.copyOf(backedUp);
    limiters = List.copyOf(limiters);
  }

  /**
   * One limiter.
   *
   * <p>Thread rule: immutable.
   *
   * @param name its name
   * @param rate the rate in force
   * @param burst the burst in force
   * @param overrideLeft how long an override still holds, null when there is none
   * @param degraded why only the floor works, null when the pool does
   * @param poolTokens how many permits the pool had when last heard of; NaN before
   * @param floorRate the rate of this replica's own floor, 0 when it has none
   * @param floorBurst the burst of this replica's own floor
   * @param floorTokens how many tokens the floor has
   * @param waiting how many retries wait on this replica
   * @param replicas what each replica says of itself
   * @param grantedByPool how many retries started with a permit of the pool
   * @param grantedByFloor how many retries started from the floor
   * @param denied how often a token was asked for and not given
   * @param expired how many permits of the pool expired unused
   * @param late how many permits of the pool arrived too late to be used
   * @param failed how many calls to the pool failed or were refused
   * @param worst the worst window that could be computed
   */
  public record Limiter(
      String name,
      double rate,
      int burst,
      @Nullable Duration overrideLeft,
      @Nullable String degraded,
      double poolTokens,
      double floorRate,
      int floorBurst,
      double floorTokens,
      int waiting,
      List<BudgetSnapshot.Replica> replicas,
      long grantedByPool,
      long grantedByFloor,
      long denied,
      long expired,
      long late,
      long failed,
      WorstWindow worst) {
    public Limiter {
      replicas = List.copyOf(replicas);
    }
  }

  /**
   * The worst window over the latest starts of all replicas, by how many retries it exceeded the
   * cap: the largest that was in force at one of those starts, when it was overridden meanwhile.
   *
   * <p>The times of the replicas are brought to one clock, the monotonic one of the pool's owner,
   * by the calls that each of them makes anyway: a call that took t tells the difference of the two
   * clocks to within t/2. No wall clock is involved, so a step of one changes nothing. With a
   * difference that is known to within u every window may be 2u longer or shorter than it looks, so
   * there are two figures: {@code certain} is never an alarm without a cause, and {@code possible}
   * never hides an excess over that cap among the starts that are compared.
   *
   * <p>It can miss: starts beyond the latest 512 of a replica and limiter; those of a replica that
   * has not reported for 30 s, or has not reached the owner's clock, which are counted in {@code
   * missing}; and what happened within the last second. For a proof record the start times of all
   * replicas and use {@link dev.coxswain.retry.WindowChecker}.
   *
   * <p>Thread rule: immutable.
   *
   * @param certain the least excess that is certain; zero or less when the cap was kept, NaN when
   *     nothing can be said
   * @param possible the largest excess that is possible; NaN when nothing can be said
   * @param largestCertain the largest {@code certain} since the start of this replica, NaN at first
   * @param starts how many starts were compared
   * @param missing how many replicas reported starts that could not be compared
   */
  public record WorstWindow(
      double certain, double possible, double largestCertain, int starts, int missing) {
    public static final WorstWindow UNKNOWN =
        new WorstWindow(Double.NaN, Double.NaN, Double.NaN, 0, 0);
  }
}
