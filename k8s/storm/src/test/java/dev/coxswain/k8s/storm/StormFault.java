// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.apiserver.fault.Effect.RefuseMode;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import java.time.Duration;
import java.util.SplittableRandom;

/** Every way in which the server breaks. */
enum StormFault {
  CLOSED_WATCHES(false),
  SILENT_WATCHES(true),
  SLOW_WATCHES(true),
  SLOW_ANSWERS(true),
  DROPPED_EVENTS(true),
  COMPACTED_HISTORY(false),
  EXPIRED_WATCHES(false),
  GONE_410_NEXT(false),
  BUSY_429_NEXT(false),
  ERROR_500_NEXT(false),
  UNAVAILABLE_503_NEXT(false),
  GONE_410_SHARE(true),
  BUSY_429_SHARE(true),
  ERROR_500_SHARE(true),
  UNAVAILABLE_503_SHARE(true),
  REFUSED_CONNECTIONS(true),
  RESET_CONNECTIONS(true),
  PAUSED_WORLD(true),
  STARTING_SERVER(true),
  UNKNOWN_FIELDS(true),
  CUT_CONNECTIONS(false);

  private final boolean lasts;

  StormFault(boolean lasts) {
    this.lasts = lasts;
  }

  private Fault make(SplittableRandom random) {
    return switch (this) {
      case CLOSED_WATCHES -> Fault.closeWatches();
      case SILENT_WATCHES -> Fault.silenceWatches();
      case SLOW_WATCHES -> Fault.slowWatches(2_000 + random.nextInt(20_000));
      case SLOW_ANSWERS -> Fault.latency(Duration.ofMillis(20 + random.nextInt(130)));
      case DROPPED_EVENTS -> Fault.dropEvents(0.3, random.nextLong());
      case COMPACTED_HISTORY -> Fault.compactHistory();
      case EXPIRED_WATCHES -> Fault.expireWatches();
      case GONE_410_NEXT -> next(random, 410, Duration.ZERO, 8).on(readers());
      case BUSY_429_NEXT -> next(random, 429, Duration.ofSeconds(1), 30);
      case ERROR_500_NEXT -> next(random, 500, Duration.ZERO, 60);
      case UNAVAILABLE_503_NEXT -> next(random, 503, Duration.ofSeconds(1), 60);
      case GONE_410_SHARE -> share(random, 410, Duration.ZERO).on(readers());
      case BUSY_429_SHARE -> share(random, 429, Duration.ofSeconds(1));
      case ERROR_500_SHARE -> share(random, 500, Duration.ZERO);
      case UNAVAILABLE_503_SHARE -> share(random, 503, Duration.ofSeconds(1));
      case REFUSED_CONNECTIONS -> Fault.refuseConnections(RefuseMode.CLOSED);
      case RESET_CONNECTIONS -> Fault.refuseConnections(RefuseMode.RESET);
      case PAUSED_WORLD -> Fault.pause();
      case STARTING_SERVER -> Fault.starting();
      case UNKNOWN_FIELDS -> Fault.unknownFields();
      case CUT_CONNECTIONS -> Fault.cutConnections();
    };
  }

  private static Fault next(SplittableRandom random, int status, Duration retryAfter, int most) {
    return Fault.fail(status, retryAfter).times(1 + random.nextInt(most));
  }

  private static Fault share(SplittableRandom random, int status, Duration retryAfter) {
    return Fault.failShare(status, retryAfter, 0.3, random.nextLong());
  }

  /** Where a real server returns 410. */
  private static FaultFilter readers() {
    return FaultFilter.verbs("list", "watch");
  }

  /** Whether it goes on for a time. */
  boolean lasts() {
    return lasts;
  }

  /** Breaks the server and returns how to find the fault. */
  String begin(Faults faults, SplittableRandom random) {
    return faults.inject(make(random)).id();
  }

  /** Takes back what lasts. */
  void end(Faults faults, String id) {
    faults.clear(id);
    if (this == DROPPED_EVENTS) {
      // A lost event stays lost until everything is listed again, which a client has no reason to
      // do by itself: the one thing that must come from outside.
      faults.inject(Fault.expireWatches());
    }
  }
}
