// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.view.ItemId;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of failures of user code other than reconcilers: one entry for each class of throwable and
 * place, since such code may fail a thousand times a second.
 *
 * <p>Thread rule: any thread.
 */
public final class UserFailures {
  private static final Logger log = LoggerFactory.getLogger(UserFailures.class);

  /** Classes can be made at run time, so the kinds are bounded. */
  private static final int MAX_KINDS = 256;

  private final String controller;
  private final Set<String> kinds = ConcurrentHashMap.newKeySet();

  public UserFailures(String controller) {
    this.controller = controller;
  }

  /** Reports a failure, and clears an interrupt that the code may have left. */
  public void report(String place, Throwable cause) {
    clearInterrupt();
    String type = cause.getClass().getName();
    if (kinds.size() >= MAX_KINDS || !kinds.add(place + " " + type)) {
      return;
    }
    try {
      log.atError()
          .addKeyValue("controller", controller)
          .addKeyValue("place", place)
          .setCause(cause)
          .log("user code failed, further failures of this kind are not logged");
    } catch (Throwable e) { // methods of the exception are user code too
      log.atError()
          .addKeyValue("controller", controller)
          .addKeyValue("place", place)
          .addKeyValue("type", type)
          .log("user code failed with an exception that cannot be shown");
    }
  }

  /**
   * Clears the interrupt flag that user code may have left; otherwise the next wait of this thread
   * would fail.
   */
  @SuppressWarnings("Interruption") // see above
  public static void clearInterrupt() {
    Thread.interrupted();
  }

  /** Returns the identity of a request; with empty texts when its format throws. Any thread. */
  static <K> ItemId identity(RequestFormat<K> format, K key) {
    try {
      return new ItemId(
          Objects.requireNonNullElse(format.namespace(key), ""),
          Objects.requireNonNullElse(format.name(key), ""));
    } catch (Throwable e) {
      clearInterrupt();
      return new ItemId("", "");
    }
  }

  /**
   * Returns the text of a value of a user's class, or the name of the class when toString throws.
   */
  static String text(Object value) {
    try {
      return String.valueOf(value);
    } catch (Throwable e) {
      return value.getClass().getName();
    }
  }
}
