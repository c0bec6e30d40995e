// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The status of a reflector, with its log messages.
 *
 * <p>Thread rule: written by the reflector's thread, read by any.
 */
final class ReflectorStatus {

  private static final Logger log = LoggerFactory.getLogger(ReflectorStatus.class);

  private final CacheKey<?> key;
  private final Clock clock;
  private final AtomicLong watches = new AtomicLong();
  private volatile CacheStatus.Phase phase = CacheStatus.Phase.STARTING;
  private volatile String lastError = "";
  private volatile Instant lastContact;

  ReflectorStatus(CacheKey<?> key, Clock clock) {
    this.key = key;
    this.clock = clock;
    this.lastContact = clock.instant();
  }

  CacheStatus.Phase phase() {
    return phase;
  }

  String lastError() {
    return lastError;
  }

  Instant lastContact() {
    return lastContact;
  }

  /** Returns how many watches were opened. */
  long watches() {
    return watches.get();
  }

  void listing() {
    phase = CacheStatus.Phase.LISTING;
  }

  void onContact() {
    lastContact = clock.instant();
  }

  void watching() {
    watches.incrementAndGet();
    onContact();
    if (!lastError.isEmpty()) {
      log.atInfo().addKeyValue("cache", key).log("watch restored");
    }
    lastError = "";
    phase = CacheStatus.Phase.WATCHING;
  }

  void waitingForApi(@Nullable String problem) {
    if (phase != CacheStatus.Phase.WAITING_FOR_API && lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", problem)
          .log("resource not installed, waiting for its definition");
    }
    lastError = problem == null ? "not installed" : problem;
    phase = CacheStatus.Phase.WAITING_FOR_API;
  }

  void failed(Throwable cause, Duration wait) {
    if (lastError.isEmpty()) {
      log.atWarn()
          .addKeyValue("cache", key)
          .addKeyValue("problem", UserCode.text(cause))
          .addKeyValue("wait", wait)
          .log("watch failed, retrying");
    } else {
      log.atDebug()
          .addKeyValue("cache", key)
          .addKeyValue("problem", UserCode.text(cause))
          .addKeyValue("wait", wait)
          .log("watch still failing, retrying");
    }
    lastError = UserCode.text(cause);
    phase = CacheStatus.Phase.BACKING_OFF;
  }

  void stopped() {
    phase = CacheStatus.Phase.STOPPED;
  }
}
