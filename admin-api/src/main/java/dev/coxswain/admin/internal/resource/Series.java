// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The last hour of one controller, or of all, one sample each {@link #STEP}, in a ring of fixed size (16 KiB).
 * Confined to the admin event loop.
 */
public final class Series {

  public static final Duration STEP = Duration.ofSeconds(10);
  public static final int SLOTS = 360;

  /** The sampled values. The last four are counts of attempts, the others are current values. */
  enum Column {
    READY,
    DELAYED,
    WAITING_TOKEN,
    IN_FLIGHT,
    TERMINAL,
    FAILING,
    OLDEST_READY_MILLIS,
    LIMITER_WAITERS,
    SUCCESS,
    REQUEUE_AFTER,
    REQUEUE,
    ERROR;

    static Column of(Phase phase) {
      return switch (phase) {
        case READY -> READY;
        case DELAYED -> DELAYED;
        case WAITING_TOKEN -> WAITING_TOKEN;
        case IN_FLIGHT -> IN_FLIGHT;
        case TERMINAL -> TERMINAL;
      };
    }

    boolean isCount() {
      return compareTo(SUCCESS) >= 0;
    }
  }

  private static final int UNKNOWN = -1;

  private final int[][] columns = new int[Column.values().length][SLOTS];
  private long last;
  private Ended ended = Ended.NONE;
  private @Nullable Instant run;

  /** Creates an empty series that begins with the slot of this number. */
  Series(long first) {
    last = first - 1;
    for (int[] column : columns) {
      Arrays.fill(column, UNKNOWN);
    }
  }

  /** Returns the number of the youngest slot. */
  long last() {
    return last;
  }

  /**
   * Writes the sample of a slot; the slots since the last sample remain unknown.
   *
   * @param startedAt identifies the run of the controller
   * @param fresh whether that run began after the last sample
   */
  void add(
      long slot, QueueSnapshot queue, int waiters, Ended total, Instant startedAt, boolean fresh) {
    skipTo(slot);
    for (Phase phase : Phase.values()) {
      set(Column.of(phase), queue.in(phase));
    }
    set(Column.FAILING, queue.failing());
    set(Column.OLDEST_READY_MILLIS, queue.oldestReadyNanos() / 1_000_000);
    set(Column.LIMITER_WAITERS, waiters);
    boolean sameRun = startedAt.equals(run);
    if (sameRun || fresh) {
      Ended before = sameRun ? ended : Ended.NONE;
      set(Column.SUCCESS, total.success() - before.success());
      set(Column.REQUEUE_AFTER, total.requeueAfter() - before.requeueAfter());
      set(Column.REQUEUE, total.requeue() - before.requeue());
      set(Column.ERROR, total.error() - before.error());
    }
    ended = total;
    run = startedAt;
  }

  /**
   * Writes the sum of the youngest samples of other series into a slot, the largest age of those; what
   * none of them has a sample of stays unknown.
   *
   * @param waiters of all limiters, since several controllers may have the same one
   */
  void addSum(long slot, Collection<Series> parts, int waiters) {
    skipTo(slot);
    if (parts.isEmpty()) {
      return;
    }
    for (Column column : Column.values()) {
      long sum = UNKNOWN;
      for (Series part : parts) {
        int value = part.columns[column.ordinal()][(int) (part.last % SLOTS)];
        if (value != UNKNOWN) {
          sum =
              column == Column.OLDEST_READY_MILLIS
                  ? Math.max(sum, value)
                  : Math.max(0, sum) + value;
        }
      }
      if (sum != UNKNOWN) {
        set(column, sum);
      }
    }
    set(Column.LIMITER_WAITERS, waiters);
  }

  private void skipTo(long slot) {
    for (long skipped = Math.max(last + 1, slot - SLOTS + 1); skipped <= slot; skipped++) {
      for (int[] column : columns) {
        column[(int) (skipped % SLOTS)] = UNKNOWN;
      }
    }
    last = slot;
  }

  private void set(Column column, long value) {
    columns[column.ordinal()][(int) (last % SLOTS)] =
        (int) Math.max(0, Math.min(Integer.MAX_VALUE, value));
  }

  /**
   * Returns one value of several slots: the largest, or for counts the mean per slot; NaN when all
   * of them are unknown.
   *
   * @param end the number of the last slot
   * @param slots the number of slots, at most all
   */
  double value(Column column, long end, int slots) {
    int known = 0;
    long sum = 0;
    int largest = UNKNOWN;
    for (long slot = end - slots + 1; slot <= end; slot++) {
      if (slot < 0 || slot > last || slot <= last - SLOTS) {
        continue;
      }
      int value = columns[column.ordinal()][(int) (slot % SLOTS)];
      if (value != UNKNOWN) {
        known++;
        sum += value;
        largest = Math.max(largest, value);
      }
    }
    if (known == 0) {
      return Double.NaN;
    }
    return column.isCount() ? (double) sum / known : largest;
  }
}
