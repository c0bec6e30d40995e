// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports what code of users does wrong at one boundary: in the listeners of one source, in the
 * transform and the indexes of one cache. Callers catch {@link Throwable}: other languages throw
 * checked exceptions undeclared, and any error that is let through ends a thread that many
 * controllers depend on.
 *
 * <p>The first failure of each kind (place and class of the throwable) is a warning with its stack
 * trace, then the 2nd, 4th, 8th; the others are logged at debug. At most {@link #MAX_KINDS} kinds
 * are told apart. No method throws, whatever the throwable does when it is printed.
 *
 * <p>Thread rule: any thread.
 */
public final class UserCode {

  /** How many kinds are told apart; further ones are counted as one kind. */
  public static final int MAX_KINDS = 64;

  private static final Logger log = LoggerFactory.getLogger(UserCode.class);
  private static final int MAX_TEXT = 500;
  private static final int MAX_CAUSES = 32;
  private static final String OTHER = "other";

  private final String role;
  private final Object owner;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> kinds = new HashMap<>();
  private long failures;

  /**
   * Creates a boundary without failures.
   *
   * @param role what the owner is, as the key in the log: {@code source}, {@code cache}
   * @param owner which one; printed when something is reported
   */
  public UserCode(String role, Object owner) {
    this.role = role;
    this.owner = owner;
  }

  /** Returns how many failures were reported. */
  public long failures() {
    lock.lock();
    try {
      return failures;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports a failure and clears the interrupt flag.
   *
   * @param message what failed and what becomes of it; constant
   * @param key the object, or null when it was about none
   * @param cause what was thrown
   */
  public void failed(String message, @Nullable Object key, Throwable cause) {
    try {
      long count = count(message + " " + cause.getClass().getName());
      report(Long.bitCount(count) == 1 ? Level.WARN : Level.DEBUG, message, key, count, cause);
    } catch (Throwable e) {
      // No memory, or a log that fails: counting and reporting must not be what ends the thread.
      Thread.onSpinWait();
    } finally {
      Thread.interrupted();
    }
  }

  /**
   * Clears the interrupt flag of a thread that nobody interrupts on purpose, and reports it when it
   * was set.
   *
   * @param place whose code has run
   * @param key the object, or null when it was about none
   */
  public void clearInterrupt(String place, @Nullable Object key) {
    if (Thread.interrupted()) {
      leftInterrupted(place, key);
    }
  }

  /** Reports an interrupt flag that was set, and has been cleared. */
  public void leftInterrupted(String place, @Nullable Object key) {
    failed(
        "code of users left the thread interrupted, the flag is cleared",
        key,
        new InterruptedException(place));
  }

  private long count(String kind) {
    lock.lock();
    try {
      failures++;
      String known = kinds.size() < MAX_KINDS || kinds.containsKey(kind) ? kind : OTHER;
      return kinds.merge(known, 1L, Long::sum);
    } finally {
      lock.unlock();
    }
  }

  private void report(
      Level level, String message, @Nullable Object key, long count, Throwable cause) {
    try {
      entry(level, key, count).setCause(cause).log(message);
    } catch (Throwable e) {
      // Its message or its stack trace cannot be had: the class must do.
      entry(level, key, count).addKeyValue("problem", text(cause)).log(message);
    }
  }

  private org.slf4j.spi.LoggingEventBuilder entry(Level level, @Nullable Object key, long count) {
    var entry = log.atLevel(level).addKeyValue(role, owner).addKeyValue("count", count);
    return key == null ? entry : entry.addKeyValue("key", key);
  }

  /**
   * Returns what in a throwable comes from the moment and not from what was worked on: a {@link
   * TransientFailure} or an error of the virtual machine, itself or among its causes; null for
   * none.
   */
  public static @Nullable Throwable transientCause(Throwable thrown) {
    try {
      @Nullable Throwable cause = thrown;
      for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
        if (cause instanceof TransientFailure || isMachineFault(cause)) {
          return cause;
        }
        cause = cause.getCause();
      }
      return null;
    } catch (Throwable e) {
      return null; // getCause is code of users, too
    }
  }

  /**
   * Returns whether a throwable, or the transient one among its causes, is of the virtual machine:
   * no memory, an internal error. A stack overflow is not: it depends on what was worked on.
   */
  public static boolean isOfTheMachine(Throwable thrown) {
    Throwable cause = transientCause(thrown);
    return cause != null && isMachineFault(cause);
  }

  private static boolean isMachineFault(Throwable cause) {
    return cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
  }

  /** Returns a throwable as text of limited length, also one that cannot print itself. */
  public static String text(Throwable cause) {
    String text;
    try {
      text = cause.toString();
    } catch (Throwable e) {
      text = cause.getClass().getName() + " (it cannot be printed)";
    }
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
  }
}
