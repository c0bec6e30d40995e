// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import dev.coxswain.retry.BudgetSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of the shared limiter on this replica, for display.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of this replica
 * @param state whether the member runs
 * @param members how many members there are in the cluster as seen from here, this one included; 0
 *     when it does not run
 * @param majority how many members the pool requires
 * @param address where the member listens, null when it does not
 * @param owned the limiters whose pool was changed on this replica during the last two seconds;
 *     their state is stored here
 * @param backedUp the limiters whose pool was changed on another replica in that time, with the
 *     backup stored here
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

  /** The state of the member. */
  public enum State {
    /** Not started. */
    NEW,
    /** Starting or joining. */
    STARTING,
    /** Running. */
    RUNNING,
    /** The start failed and is retried; only the floors are used. */
    FAILED,
    /** Stopped. */
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
   * @param name the name of the limiter
   * @param rate the rate in force
   * @param burst the burst in force
   * @param overrideLeft the remaining duration of the override, null when there is none
   * @param degraded why only the floor is used, null when the pool is available
   * @param poolTokens how many permits the pool had in its last reply; NaN before the first one
   * @param floorRate the rate of this replica's floor, 0 when it has none
   * @param floorBurst the burst of this replica's floor
   * @param floorTokens how many tokens the floor has
   * @param waiting how many retries wait on this replica
   * @param replicas the latest report of each replica
   * @param grantedByPool how many retries started with a permit of the pool
   * @param grantedByFloor how many retries started from the floor
   * @param denied how many requests for a token were not granted
   * @param expired how many permits of the pool expired unused
   * @param late how many permits of the pool arrived too late to be used
   * @param failed how many calls to the pool failed or were refused
   * @param worst the worst window of the starts that could be compared
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
   * The worst window over the latest starts of all replicas: by how many retries it exceeded the
   * cap. If the cap was overridden, the largest one in force at any of those starts counts.
   *
   * <p>The times of the replicas are converted to the monotonic clock of the pool's owner. Each
   * call to the pool measures the difference of the two clocks: a call that took t gives it within
   * t/2. No wall clock is used, so its adjustments have no effect. If the difference is known
   * within u, each window may be 2u longer or shorter than computed, so there are two figures:
   * {@code certain} is a lower bound of the excess and never a false alarm, {@code possible} is an
   * upper bound for the starts that were compared.
   *
   * <p>Not included are starts before the latest 512 of a replica and limiter; starts of a replica
   * that has not reported for 30 s, or whose clock difference is not known (counted in {@code
   * missing}); and starts of the last second. For a proof, record the start times of all replicas
   * and use {@link dev.coxswain.retry.WindowChecker}.
   *
   * <p>Thread rule: immutable.
   *
   * @param certain the lower bound of the excess; zero or less when the cap was kept, NaN when
   *     unknown
   * @param possible the upper bound of the excess; NaN when unknown
   * @param largestCertain the largest {@code certain} since the start of this replica, NaN before
   *     the first
   * @param starts how many starts were compared
   * @param missing how many replicas reported starts that could not be compared
   */
  public record WorstWindow(
      double certain, double possible, double largestCertain, int starts, int missing) {
    public static final WorstWindow UNKNOWN =
        new WorstWindow(Double.NaN, Double.NaN, Double.NaN, 0, 0);
  }
}
