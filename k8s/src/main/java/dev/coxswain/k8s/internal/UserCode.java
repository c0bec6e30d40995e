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
 * A log of failures of user code at one boundary: the listeners of one source, or the transform and
 * the indexes of one cache. Callers catch {@link Throwable}: other languages throw checked
 * exceptions undeclared, and an uncaught error would end a thread that many controllers depend on.
 *
 * <p>The first failure of each kind (place and class of the throwable) is a warning with its stack
 * trace, then the 2nd, 4th, 8th; the others are logged at debug. At most {@link #MAX_KINDS} kinds
 * are counted separately. No method throws, even if printing the throwable does.
 *
 * <p>Thread rule: any thread.
 */
public final class UserCode {

  /** The most kinds that are counted separately; further ones are counted as one kind. */
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
   * @param role the kind of owner, as the key in the log: {@code source}, {@code cache}
   * @param owner the owner; printed in reports
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
   * @param message the failure and its effect; constant
   * @param key the object, or null without one
   * @param cause what was thrown
   */
  public void failed(String message, @Nullable Object key, Throwable cause) {
    try {
      long count = count(message + " " + cause.getClass().getName());
      report(Long.bitCount(count) == 1 ? Level.WARN : Level.DEBUG, message, key, count, cause);
    } catch (Throwable e) {
      // Without memory, or when logging fails: counting and reporting must not end the thread.
      Thread.onSpinWait();
    } finally {
      Thread.interrupted();
    }
  }

  /**
   * Clears the interrupt flag of a thread that is never interrupted on purpose, and reports it when
   * it was set.
   *
   * @param place the user code that has run
   * @param key the object, or null without one
   */
  public void clearInterrupt(String place, @Nullable Object key) {
    if (Thread.interrupted()) {
      leftInterrupted(place, key);
    }
  }

  /** Reports an interrupt flag that was set, and has been cleared. */
  public void leftInterrupted(String place, @Nullable Object key) {
    failed(
        "user code left the thread interrupted, clearing the flag",
        key,
        new InterruptedException(place));
  }

  private long count(String kind) {
    lock.lock();
    try {
      failures++;
      String counted = kinds.size() < MAX_KINDS || kinds.containsKey(kind) ? kind : OTHER;
      return kinds.merge(counted, 1L, Long::sum);
    } finally {
      lock.unlock();
    }
  }

  private void report(
      Level level, String message, @Nullable Object key, long count, Throwable cause) {
    try {
      entry(level, key, count).setCause(cause).log(message);
    } catch (Throwable e) {
      // Its message or its stack trace cannot be read: log the class only.
      entry(level, key, count).addKeyValue("problem", text(cause)).log(message);
    }
  }

  private org.slf4j.spi.LoggingEventBuilder entry(Level level, @Nullable Object key, long count) {
    var entry = log.atLevel(level).addKeyValue(role, owner).addKeyValue("count", count);
    return key == null ? entry : entry.addKeyValue("key", key);
  }

  /**
   * Returns the transient cause of a throwable, which does not depend on the processed object: a
   * {@link TransientFailure} or an error of the virtual machine, itself or among its causes; null
   * for none.
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
      return null; // getCause is user code as well
    }
  }

  /**
   * Returns whether a throwable, or the transient one among its causes, is an error of the virtual
   * machine: no memory, an internal error. A stack overflow is not: it depends on the processed
   * object.
   */
  public static boolean isOfTheMachine(Throwable thrown) {
    Throwable cause = transientCause(thrown);
    return cause != null && isMachineFault(cause);
  }

  private static boolean isMachineFault(Throwable cause) {
    return cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
  }

  /** Returns the message of a throwable, or the name of its class when it has none or throws. */
  public static String message(Throwable cause) {
    try {
      String message = cause.getMessage();
      return message == null ? cause.getClass().getSimpleName() : message;
    } catch (Throwable e) {
      return cause.getClass().getSimpleName();
    }
  }

  /** Returns a throwable as text of limited length, also when its toString throws. */
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
