// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import org.jspecify.annotations.Nullable;

/**
 * The difference of one object between what a listener was told last and the latest state. It is
 * delivered as one to four events; {@link #accepted} moves what the listener was told forward, so
 * that a delivery that was cut short goes on behind the last event that was accepted.
 *
 * <p>Thread rule: under the delivery's lock while it waits, confined to the delivery's thread while
 * it is delivered.
 */
final class PendingChange {

  private @Nullable Entry told;
  private @Nullable Entry latest;

  /** The newest state of the incarnation that was told; what a delete is told with. */
  private @Nullable Entry lastOfTold;

  /** The last state of the newest incarnation that is gone and was never told, if any. */
  private @Nullable Entry unheard;

  private Trigger trigger;
  private boolean done;

  /** Whether a delivery of this change failed and is tried again. */
  private boolean kept;

  PendingChange(@Nullable Entry told, Trigger trigger) {
    this.told = told;
    this.latest = told;
    this.lastOfTold = told;
    this.trigger = trigger;
  }

  /** Notes another state, or the end. */
  void change(@Nullable Entry now, Entry last) {
    Entry before = latest;
    if (isTold(last)) {
      lastOfTold = last;
    } else if (before != null && !isTold(before) && !isSame(before, now)) {
      unheard = isSame(before, last) ? last : before;
    }
    latest = now;
  }

  /** Notes why there is a change: what really happened outranks a mere look at things. */
  void trigger(Trigger value) {
    if (value == Trigger.EVENT) {
      trigger = value;
    }
  }

  /** Appends a change that begins where this one ends. */
  void append(PendingChange later) {
    Entry lastOfLater = later.lastOfTold;
    if (lastOfLater != null && !isSame(lastOfLater, later.latest)) {
      change(null, lastOfLater);
    }
    Entry between = later.unheard;
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
   * Returns whether no object bounds how many of these wait: it came and went, or its end could not
   * be delivered.
   */
  boolean isUnbounded() {
    return latest == null && (told == null ? unheard != null : kept);
  }

  /** Returns the next event to deliver, or null when everything was accepted. */
  <T extends KubernetesObject> @Nullable ObjectEvent<T> next(Request key, Class<T> type) {
    Entry now = latest;
    Entry gone = lastOfTold;
    Entry between = unheard;
    if (done) {
      return null;
    }
    if (gone != null && endsTold()) {
      return new ObjectEvent<>(ObjectEvent.Kind.DELETED, key, null, gone, trigger, type);
    }
    if (between != null) {
      return new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, between, trigger, type);
    }
    if (now == null) {
      return null;
    }
    return told == null
        ? new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, now, trigger, type)
        : new ObjectEvent<>(ObjectEvent.Kind.UPDATED, key, told, now, trigger, type);
  }

  /** Notes that the listener was told of {@link #next}. */
  void accepted() {
    if (told != null && endsTold()) {
      told = null;
      lastOfTold = null;
    } else if (unheard != null) {
      told = unheard;
      lastOfTold = unheard;
      unheard = null;
    } else {
      told = latest;
      lastOfTold = latest;
      done = true;
    }
  }

  /** Returns whether the incarnation that was told is gone, even when the same uid came back. */
  private boolean endsTold() {
    Entry before = told;
    return before != null && (unheard != null || !isSame(before, latest));
  }

  private boolean isTold(Entry entry) {
    return isSame(entry, told);
  }

  private static boolean isSame(Entry one, @Nullable Entry other) {
    return other != null && one.uid().equals(other.uid());
  }
}
