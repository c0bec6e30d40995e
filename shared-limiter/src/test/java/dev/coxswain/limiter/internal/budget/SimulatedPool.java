// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolChange;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of the pool are: on its owner, with a copy on its backup. Members are numbers.
 *
 * <p>What it takes as given is what the two Hazelcast settings are for: a change counts only when
 * it happened on the present owner and the backup has it.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedPool {
  /** What is known of the processes that the members are in. */
  interface Processes {
    int count();

    boolean isDown(int member);

    boolean isFrozen(int member);
  }

  private final Processes processes;
  private final byte[] @Nullable [] copies;
  private int primary;
  private int backup;

  /** Creates a pool of which nothing is stored yet. */
  SimulatedPool(Processes processes) {
    this.processes = processes;
    this.copies = new byte[processes.count()] @Nullable [];
    this.backup = processes.count() > 1 ? 1 : 0;
  }

  int owner() {
    return primary;
  }

  /** Returns whether a member has nothing of the pool, so that nothing is lost with it. */
  boolean keepsNothing(int member) {
    return member != primary && member != backup;
  }

  /**
   * Changes the pool on a member, which may be the owner no more and not know it.
   *
   * @param owner who it says it is
   * @return the reply, or null when the change does not count
   */
  byte @Nullable [] change(int member, byte[] request, PoolOwner owner) {
    PoolChange change = PoolChange.apply("sim", copies[member], request, owner);
    if (change.state() != null) {
      copies[member] = change.state();
    }
    boolean acknowledged =
        member == primary && works(backup) && (backup != member || isTheOnlyOne());
    if (!acknowledged) {
      return null;
    }
    copies[backup] = copies[member];
    return change.reply();
  }

  private boolean works(int member) {
    return !processes.isDown(member) && !processes.isFrozen(member);
  }

  private boolean isTheOnlyOne() {
    int up = 0;
    for (int i = 0; i < copies.length; i++) {
      up += processes.isDown(i) ? 0 : 1;
    }
    return up == 1;
  }

  /** A member is gone with all that it kept. */
  void lost(int member) {
    copies[member] = null;
    leave(member);
  }

  /** All members are gone at once, and are there again with nothing. */
  void loseEverything() {
    Arrays.fill(copies, null);
  }

  /** The others count a member out, whatever it still keeps. */
  void leave(int member) {
    if (member == primary) {
      promote();
    } else if (member == backup) {
      chooseBackup();
    }
  }

  /** The owner is gone: the backup's bytes count from now on, or nothing when there was none. */
  private void promote() {
    byte[] copy = backup == primary ? null : copies[backup];
    primary = backup == primary ? anotherThan(primary) : backup;
    copies[primary] = copy;
    chooseBackup();
  }

  private void chooseBackup() {
    backup = anotherThan(primary);
    copies[backup] = copies[primary];
  }

  /** Returns the next member that works; the same one when there is none. */
  private int anotherThan(int member) {
    for (int i = 1; i < copies.length; i++) {
      int other = (member + i) % copies.length;
      if (works(other)) {
        return other;
      }
    }
    return member;
  }

  /** Migrates the pool to a member, when both are there. */
  void moveTo(int member) {
    if (processes.isDown(member) || processes.isFrozen(primary)) {
      return;
    }
    copies[member] = copies[primary];
    primary = member;
    chooseBackup();
  }

  /** Gives the pool an owner and a backup again when there are processes for it. */
  void join() {
    if (processes.isDown(primary)) {
      primary = anotherThan(primary);
      copies[primary] = null;
    }
    if (backup == primary || processes.isDown(backup)) {
      chooseBackup();
    }
  }
}
