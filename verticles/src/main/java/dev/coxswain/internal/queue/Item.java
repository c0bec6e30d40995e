// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.view.Phase;
import org.jspecify.annotations.Nullable;

/**
 * A request tracked by a {@link WorkQueue}. Only the queue changes it; the loop holds it while the
 * request is in flight and returns it.
 *
 * <p>Thread rule: confined to the queue's event loop.
 *
 * @param <K> the type of the request
 */
public final class Item<K> {
  // A million of these must fit: 48 bytes each. Fields that only some items need are in Detail.

  static final byte DIRTY = 1;

  /** The next attempt is caused by a failure or by requeue, and takes a token. */
  static final byte RETRY = 2;

  /** The running attempt was started by an event inside the backoff window. */
  static final byte IN_WINDOW = 4;

  static final byte OVERDUE = 8;

  /** It has left the queue; it does not come back as this item. */
  static final byte GONE = 16;

  /** The slot of the running attempt was dropped: its end leaves nothing. */
  static final byte ORPHANED = 32;

  private static final Trigger[] TRIGGERS = Trigger.values();

  final K key;
  @Nullable Detail detail;

  /** The change that leads to its next attempt, the first of several; null when it is not known. */
  private @Nullable Origin origin;

  /** Delayed: when it is due. Ready, waiting: since when. In flight: when it started. */
  long time;

  /** The mixed hash of the key, which is also the position in a walk. */
  final int hash;

  /** The low half of the sequence number, see {@link QueueState#seqOf}. */
  final int seq;

  /** Assigned anew with every change of phase: breaks ties of due times, and is the revision. */
  int order;

  /** The index in the heap or in its ring. */
  int index;

  byte phase;
  byte priority;
  byte flags;
  private byte trigger;

  Item(K key, int hash, int seq) {
    this.key = key;
    this.hash = hash;
    this.seq = seq;
  }

  /** Returns the request. */
  public K key() {
    return key;
  }

  /** Returns the cause of its present phase. */
  public Trigger trigger() {
    return TRIGGERS[trigger];
  }

  /** Sets what leads to its next attempt, unless an earlier change does. */
  public void origin(Origin value) {
    if (origin == null || (origin.kind().isEmpty() && !value.kind().isEmpty())) {
      origin = value;
    }
  }

  /** Returns what has led to the attempt that begins now, or null. */
  public @Nullable Origin takeOrigin() {
    Origin taken = origin;
    origin = null;
    return taken;
  }

  /** Returns whether its slot was dropped while its attempt ran. */
  public boolean isOrphaned() {
    return is(ORPHANED);
  }

  /** Returns how many attempts have failed in a row. */
  public int failures() {
    return detail == null ? 0 : detail.failures;
  }

  /** Returns how many attempts have failed in a row, those before a terminal failure included. */
  int failuresShown() {
    Detail present = detail;
    if (present == null) {
      return 0;
    }
    return phase == Phase.TERMINAL.ordinal() ? present.failuresBefore : present.failures;
  }

  /** Returns the phase. */
  public Phase phase() {
    return Phase.of(phase);
  }

  void trigger(Trigger value) {
    trigger = (byte) value.ordinal();
  }

  boolean is(byte flag) {
    return (flags & flag) != 0;
  }

  void set(byte flag, boolean value) {
    flags = (byte) (value ? flags | flag : flags & ~flag);
  }

  Detail detail() {
    Detail present = detail;
    if (present == null) {
      present = new Detail();
      detail = present;
    }
    return present;
  }

  /** Fields of an item that has failed or was added while in flight. */
  static final class Detail {
    int failures;

    /** Failed attempts that terminal failures ended, since the last success. */
    int failuresBefore;

    long windowEnd;
    @Nullable String lastError;
    private @Nullable FailureCause cause;
    long lastErrorMillis;

    byte dirtyPriority;
    byte dirtyTrigger;

    /** A delayed addition came while the item was in flight. */
    boolean pending;

    /** That addition was an operator's and replaces the time, even by a later one. */
    boolean pendingReplaces;

    /** The addition is a retry that another replica has handed over; it takes a token. */
    boolean pendingRetry;

    long pendingDue;
    byte pendingPriority;
    byte pendingTrigger;

    /** Returns the cause of the last failure, or null when it is not known. */
    @Nullable FailureCause cause() {
      return cause;
    }

    /** Sets the cause of the last failure, and counts the item there. */
    void cause(@Nullable FailureCause value) {
      if (cause != null) {
        cause.left();
      }
      cause = value;
      if (value != null) {
        value.entered();
      }
    }

    /** Counts the item no longer, while it is out of the queue to be put back. */
    void takeOut() {
      if (cause != null) {
        cause.left();
      }
    }

    /** Counts an item again that was taken out; its cause may not be kept any more. */
    void putIn(FailureCauses causes) {
      FailureCause before = cause;
      cause = null;
      cause(before == null ? null : causes.of(before.pattern()));
    }

    /** Raises the priority of the addition that came while the item was in flight. */
    void raise(byte priority) {
      dirtyPriority = (byte) Math.max(dirtyPriority, priority);
      pendingPriority = (byte) Math.max(pendingPriority, priority);
    }

    Trigger dirtyTrigger() {
      return TRIGGERS[dirtyTrigger];
    }

    Trigger pendingTrigger() {
      return TRIGGERS[pendingTrigger];
    }
  }
}
