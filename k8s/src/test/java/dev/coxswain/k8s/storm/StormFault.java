// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import java.time.Duration;
import java.util.SplittableRandom;

/** Every way in which the server breaks. */
enum StormFault {
  CLOSE_WATCHES {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.closeWatches();
    }
  },
  SILENT_WATCHES(true) {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.silenceWatches(true);
    }

    @Override
    void end(Faults faults) {
      faults.silenceWatches(false);
    }
  },
  SLOW_ANSWERS(true) {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.addLatency(Duration.ofMillis(20 + random.nextInt(130)));
    }

    @Override
    void end(Faults faults) {
      faults.addLatency(Duration.ZERO);
    }
  },
  COMPACT_AND_CLOSE {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.compactHistory();
      faults.closeWatches();
    }
  },
  GONE_410_NEXT {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.failNext(1 + random.nextInt(8), 410, Duration.ZERO, uri -> uri.contains("watch=true"));
      faults.closeWatches();
    }
  },
  BUSY_429_NEXT {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.failNext(5 + random.nextInt(30), 429, Duration.ofSeconds(1), uri -> true);
    }
  },
  ERROR_500_NEXT {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.failNext(5 + random.nextInt(60), 500, Duration.ZERO, uri -> true);
      faults.closeWatches();
    }
  },
  UNAVAILABLE_503_NEXT {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.failNext(5 + random.nextInt(60), 503, Duration.ofSeconds(1), uri -> true);
      faults.closeWatches();
    }
  },
  UNKNOWN_FIELDS(true) {
    @Override
    void begin(Faults faults, SplittableRandom random) {
      faults.addUnknownFields(true);
    }

    @Override
    void end(Faults faults) {
      faults.addUnknownFields(false);
    }
  };

  private final boolean lasts;

  StormFault() {
    this(false);
  }

  StormFault(boolean lasts) {
    this.lasts = lasts;
  }

  /** Whether it goes on until it is ended. */
  boolean lasts() {
    return lasts;
  }

  /** Breaks the server. */
  abstract void begin(Faults faults, SplittableRandom random);

  /** Takes back what lasts. */
  void end(Faults faults) {}
}
