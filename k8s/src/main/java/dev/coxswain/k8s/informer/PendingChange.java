// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import org.jspecify.annotations.Nullable;

/**
 * The difference between the state of an object that a listener received last and the latest state.
 * It is delivered as one to four events; {@link #accepted} advances the delivered state, so that an
 * interrupted delivery continues behind the last accepted event.
 *
 * <p>Thread rule: under the queue's lock while it waits, confined to the queue's thread while it is
 * delivered.
 */
final class PendingChange {

  private @Nullable Entry delivered;
  private @Nullable Entry latest;

  /** The newest state of the delivered incarnation, which its delete event carries. */
  private @Nullable Entry lastDelivered;

  /** The last state of the newest incarnation that is gone and was never delivered, if any. */
  private @Nullable Entry missed;

  private Trigger trigger;
  private boolean done;

  /** Whether a delivery of this change failed and is retried. */
  private boolean kept;

  PendingChange(@Nullable Entry delivered, Trigger trigger) {
    this.delivered = delivered;
    this.latest = delivered;
    this.lastDelivered = delivered;
    this.trigger = trigger;
  }

  /** Applies a new state, or null for the end of the object. */
  void change(@Nullable Entry now, Entry last) {
    Entry before = latest;
    if (isDelivered(last)) {
      lastDelivered = last;
    } else if (before != null && !isDelivered(before) && !isSame(before, now)) {
      missed = isSame(before, last) ? last : before;
    }
    latest = now;
  }

  /** Sets the cause: an event outranks a list or resync. */
  void trigger(Trigger value) {
    if (value == Trigger.EVENT) {
      trigger = value;
    }
  }

  /** Appends a change that begins where this one ends. */
  void append(PendingChange later) {
    Entry lastOfLater = later.lastDelivered;
    if (lastOfLater != null && !isSame(lastOfLater, later.latest)) {
      change(null, lastOfLater);
    }
    Entry between = later.missed;
    if (between != null) {
      change(between, between);
      change(null, between);
    }
    Entry end = later.latest;
    if (end != null) {
      change(end, end);
    }
    trigger(later.trigger);
  }

  void keep() {
    kept = true;
  }

  boolean isKept() {
    return kept;
  }

  /**
   * Returns whether no existing object bounds how many of these wait: the object came and went, or
   * its end could not be delivered.
   */
  boolean isUnbounded() {
    return latest == null && (delivered == null ? missed != null : kept);
  }

  /** Returns the next event to deliver, or null when everything was accepted. */
  <T extends KubernetesObject> @Nullable ObjectEvent<T> next(Request key, Class<T> type) {
    Entry now = latest;
    Entry gone = lastDelivered;
    Entry between = missed;
    if (done) {
      return null;
    }
    if (gone != null && endsDelivered()) {
      return new ObjectEvent<>(ObjectEvent.Kind.DELETED, key, null, gone, trigger, type);
    }
    if (between != null) {
      return new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, between, trigger, type);
    }
    if (now == null) {
      return null;
    }
    return delivered == null
        ? new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, now, trigger, type)
        : new ObjectEvent<>(ObjectEvent.Kind.UPDATED, key, delivered, now, trigger, type);
  }

  /** Advances the delivered state past {@link #next}. */
  void accepted() {
    if (delivered != null && endsDelivered()) {
      delivered = null;
      lastDelivered = null;
    } else if (missed != null) {
      delivered = missed;
      lastDelivered = missed;
      missed = null;
    } else {
      delivered = latest;
      lastDelivered = latest;
      done = true;
    }
  }

  /** Returns whether the delivered incarnation is gone, even when the same uid came back. */
  private boolean endsDelivered() {
    Entry before = delivered;
    return before != null && (missed != null || !isSame(before, latest));
  }

  private boolean isDelivered(Entry entry) {
    return isSame(entry, delivered);
  }

  private static boolean isSame(Entry one, @Nullable Entry other) {
    return other != null && one.uid().equals(other.uid());
  }
}
