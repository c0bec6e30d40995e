// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.fault;

import java.time.Duration;

/** The effect of a fault; immutable, any thread. */
public sealed interface Effect {
  /** Longest time that any part of a fault may have. */
  Duration LONGEST = Duration.ofDays(1);

  /** Name of the kind of fault, as in JSON. */
  default String kind() {
    String name = getClass().getSimpleName();
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }

  /** True when it is over as soon as it has happened, so that nothing is left to be taken back. */
  default boolean instant() {
    return this instanceof CompactHistory compact
        ? !compact.answerStatus
        : this instanceof CloseWatches || this instanceof CutConnections;
  }

  /** True when it can be limited to a number of times. */
  default boolean countable() {
    return switch (this) {
      case CompactHistory compact -> compact.answerStatus;
      case RefuseConnections refuse -> refuse.mode == RefuseMode.RESET;
      case SlowWatches e -> false;
      case Pause e -> false;
      case UnknownFields e -> false;
      case Starting e -> false;
      default -> true;
    };
  }

  /** True when a filter can choose requests. */
  default boolean filtersRequests() {
    return this instanceof Fail || this instanceof Latency;
  }

  /** True when a filter can choose resources. */
  default boolean filtersResources() {
    return switch (this) {
      case CloseWatches e -> true;
      case SilenceWatches e -> true;
      case SlowWatches e -> true;
      case DropEvents e -> true;
      default -> filtersRequests();
    };
  }

  /** Ends open watches cleanly, as a server does at its time limit; clients may resume. */
  record CloseWatches() implements Effect {}

  /**
   * Makes watches half-open: connected, but nothing arrives any more, not even bookmarks. That goes
   * for open watches and for those that open while the fault is active; a silent watch never
   * recovers, the client has to notice and reconnect.
   */
  record SilenceWatches() implements Effect {}

  /**
   * Lets each watch stream trickle; events that wait longer than the watch buffer holds close the
   * watch, as a slow client does.
   *
   * @param bytesPerSecond bytes for each watch and second, at least 1
   */
  record SlowWatches(int bytesPerSecond) implements Effect {
    public SlowWatches {
      if (bytesPerSecond < 1) {
        throw new InvalidFaultException("bytesPerSecond", "must be at least 1");
      }
    }
  }

  /**
   * Loses watch events, as a broken proxy would. A lost event stays lost for every watch, resumed
   * ones included and also after the fault has ended; bookmarks go on. Only a list (or a watch that
   * starts with the current objects) shows what it was about, or the next change of that object.
   *
   * @param share share of the changes that are lost, above 0 to 1
   * @param seed the same seed and the same changes lose the same events
   */
  record DropEvents(double share, long seed) implements Effect {
    public DropEvents {
      requireShare(share);
    }
  }

  /**
   * Makes every version handed out so far too old: watches and exact or continued lists from them
   * are answered with 410. Lists are an HTTP status as ever.
   *
   * @param expireOpen whether open watches get a 410 as an {@code ERROR} event and end; otherwise
   *     they go on
   * @param answerStatus the response to watches that start too far back: true = HTTP status 410 for
   *     as long as the fault is active; false = status 200 with an {@code ERROR} event, as the real
   *     server does, and the fault is over at once
   */
  record CompactHistory(boolean expireOpen, boolean answerStatus) implements Effect {}

  /**
   * Answers requests with a failure instead of processing them.
   *
   * @param status HTTP status, 400 to 599; 410, 429, 500, 503 and 504 come with the reason of the
   *     real server
   * @param retryAfter whole seconds for the {@code Retry-After} header, zero = none
   * @param share share of the matching requests that fail, above 0 to 1
   * @param seed the same seed and the same requests in the same order fail the same
   */
  record Fail(int status, Duration retryAfter, double share, long seed) implements Effect {
    public Fail {
      if (status < 400 || status > 599) {
        throw new InvalidFaultException("status", "must be 400 to 599, is " + status);
      }
      requireTime("retryAfter", retryAfter);
      if (retryAfter.toNanosPart() != 0) {
        throw new InvalidFaultException("retryAfter", "must be whole seconds, is " + retryAfter);
      }
      requireShare(share);
    }
  }

  /**
   * Lets requests wait before anything is done about them.
   *
   * @param delay how long, at least a millisecond
   */
  record Latency(Duration delay) implements Effect {
    public Latency {
      requireTime("delay", delay);
      if (delay.toMillis() < 1) {
        throw new InvalidFaultException("delay", "must be at least 1ms, is " + delay);
      }
    }
  }

  /** The ways to refuse connections. */
  enum RefuseMode {
    /** The socket of the server is closed and open connections are cut. */
    CLOSED,
    /** New connections are accepted and reset; open ones stay. */
    RESET
  }

  /** Refuses connections. */
  record RefuseConnections(RefuseMode mode) implements Effect {}

  /**
   * Suspends the server: connections stay open and new ones are accepted, but no responses and no
   * watch events are sent. Requests are answered afterwards.
   */
  record Pause() implements Effect {}

  /** Adds unknown fields to every response and every watch event. */
  record UnknownFields() implements Effect {}

  /**
   * Restarts the server: open connections are reset, and while the fault is active requests for
   * resources are answered as by a server whose caches are not filled yet: 403 for built-in kinds,
   * because no role has been read, and 429 with {@code Retry-After: 1} for custom ones, because
   * their storage is being initialized.
   */
  record Starting() implements Effect {}

  /** Resets every open connection. */
  record CutConnections() implements Effect {}

  private static void requireShare(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new InvalidFaultException("share", "must be above 0 and at most 1, is " + share);
    }
  }

  /** Throws unless {@code time} is within {@link #LONGEST}. */
  static void requireTime(String field, Duration time) {
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new InvalidFaultException(field, "must be 0 to 24h, is " + time);
    }
  }
}
