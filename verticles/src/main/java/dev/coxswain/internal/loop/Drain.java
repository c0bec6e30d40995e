// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Phase;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shutdown of a controller: running attempts may end by themselves up to a limit, are then
 * cancelled, and get a grace period.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class Drain<K> {
  /** The time that a cancelled attempt may take to end before it is reported as abandoned. */
  private static final long GRACE_NANOS = 1_000_000_000;

  private static final int MAX_NAMES = 100;

  private final String controller;
  private final QueueReader<K> reader;
  private final Promise<DrainReport> done;
  private final long beganAt;
  private long cancelAt;
  private boolean cancelled;
  private int finished;
  private int cancelledCount;

  public Drain(
      String controller,
      QueueReader<K> reader,
      Promise<DrainReport> done,
      long beganAt,
      Duration limit) {
    this.controller = controller;
    this.reader = reader;
    this.done = done;
    this.beganAt = beganAt;
    this.cancelAt = beganAt + limit.toNanos();
  }

  /** Brings the limit forward; a later one changes nothing. */
  void limitTo(long now, Duration limit) {
    long at = now + limit.toNanos();
    if (at - cancelAt < 0) {
      cancelAt = at;
    }
  }

  void ended(Attempt<K> attempt) {
    if (cancelled && attempt.isCancelled()) {
      cancelledCount++;
    } else {
      finished++;
    }
  }

  /** Returns true once, when the limit has passed. */
  boolean mustCancel(long now) {
    if (cancelled || cancelAt - now > 0) {
      return false;
    }
    cancelled = true;
    return true;
  }

  boolean isOver(long now) {
    return cancelled && cancelAt + GRACE_NANOS - now <= 0;
  }

  /** Returns when something is to be done although no attempt ends. */
  @Nullable Long nextStep() {
    return cancelled ? cancelAt + GRACE_NANOS : cancelAt;
  }

  void finish(long now, WorkQueue<K> queue, Workers<K> workers) {
    List<String> abandoned = new ArrayList<>();
    workers.forEach(attempt -> {
      if (abandoned.size() < MAX_NAMES) {
        abandoned.add(name(attempt.item.key()));
      }
    });
    Map<Phase, Integer> remaining = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      if (phase.queued()) {
        remaining.put(phase, queue.size(phase));
      }
    }
    done.complete(
        new DrainReport(
            controller,
            finished,
            cancelledCount,
            abandoned,
            workers.attempts(),
            remaining,
            Duration.ofNanos(now - beganAt)));
  }

  private String name(K key) {
    try {
      return reader.nameOf(key);
    } catch (Throwable e) {
      return String.valueOf(key.getClass()); // the format is the user's, and the report must come
    }
  }
}
