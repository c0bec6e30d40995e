// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.events;

import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.admin.internal.options.NoticeSink;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes notices as Kubernetes Events. The name of an Event comes from the notice, so that the Event of
 * a replica that saw the same is refused as one that exists, which is success. At best effort: nothing
 * is tried again, and a lost Event is still in the timeline.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class ClusterEventWriter implements NoticeSink {

  /** The most Events that a replica writes in a minute. */
  static final int PER_MINUTE = 10;

  /** The most writes at once. */
  static final int AT_ONCE = 4;

  /** Without the right nothing is tried for so long. */
  static final Duration REFUSED_FOR = Duration.ofHours(1);

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;
  private static final Logger LOG = LoggerFactory.getLogger(ClusterEventWriter.class);

  private final Target target;
  private final Vertx vertx;
  private final Clock clock;

  // All below is under the lock.
  private long minute;
  private int inMinute;
  private int running;
  private long dropped;
  private boolean droppedInMinute;
  private boolean failing;
  private boolean refused;
  private long refusedAt;

  /** Where the Events are stored. */
  @FunctionalInterface
  interface Target {

    /** Stores an Event; blocks, and throws what the API server responds. */
    void write(ClusterNotice notice);
  }

  public ClusterEventWriter(KubernetesEvents target, Vertx vertx, Clock clock) {
    this((Target) target, vertx, clock);
  }

  ClusterEventWriter(Target target, Vertx vertx, Clock clock) {
    this.target = target;
    this.vertx = vertx;
    this.clock = clock;
    this.minute = clock.nanos();
  }

  /** Returns how many Events were not written because there were too many. */
  synchronized long dropped() {
    return dropped;
  }

  /** Returns whether no Event is being written. */
  synchronized boolean isIdle() {
    return running == 0;
  }

  @Override
  public void add(ClusterNotice notice) {
    if (mayWrite(notice)) {
      vertx
          .executeBlocking(
              () -> {
                target.write(notice);
                return notice;
              },
              false)
          .onComplete((_, cause) -> ended(notice, cause));
    }
  }

  private synchronized boolean mayWrite(ClusterNotice notice) {
    long now = clock.nanos();
    if (refused && now - refusedAt < REFUSED_FOR.toNanos()) {
      return false;
    }
    if (now - minute >= MINUTE.toNanos()) {
      minute = now;
      inMinute = 0;
      droppedInMinute = false;
    }
    if (inMinute >= PER_MINUTE || running >= AT_ONCE) {
      dropped++;
      if (!droppedInMinute) {
        droppedInMinute = true;
        LOG.atWarn()
            .addKeyValue("reason", notice.reason())
            .addKeyValue("dropped", dropped)
            .log("too many events of the cluster, dropped; the timeline has them");
      }
      return false;
    }
    inMinute++;
    running++;
    return true;
  }

  private synchronized void ended(ClusterNotice notice, Throwable cause) {
    running--;
    int code = cause instanceof ApiStatusException e ? e.code() : 0;
    if (cause == null || code == CONFLICT) {
      failing = false;
      refused = false;
      return;
    }
    if (code == FORBIDDEN) {
      if (!refused) {
        LOG.atWarn()
            .addKeyValue("error", cause.getMessage())
            .log(
                "events of the cluster are not written: the host needs the right create for"
                    + " events of events.k8s.io in the namespace of its Leases, or changes.events.enabled false");
      }
      refused = true;
      refusedAt = clock.nanos();
    } else if (!failing) {
      failing = true;
      LOG.atWarn()
          .addKeyValue("reason", notice.reason())
          .addKeyValue("error", cause.toString())
          .log("event of the cluster could not be written, lost; the timeline has it");
    }
  }
}
