// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this replica has seen happen: an hour in memory, and most of it in the {@link History}, so that
 * it outlives the replica. Confined to the admin event loop.
 */
final class TimelineLog {

  private static final int MAX_EVENTS = 2_000;
  private static final Duration KEPT = Duration.ofHours(1);
  private static final int MAX_MESSAGE = 512;

  /** More events of a minute, or of one thing in an hour, are not stored: what flaps displaces little. */
  private static final int STORED_PER_MINUTE = 20;

  private static final int STORED_OF_ONE = 6;

  private final ControllerDirectory directory;
  private final History history;
  private final Clock clock;
  private final ArrayDeque<TimelineEvent> events = new ArrayDeque<>();
  private Instant minute = Instant.MIN;
  private int storedInMinute;
  private Instant hour = Instant.MIN;
  private final Map<List<String>, Integer> storedOf = new HashMap<>(); // in that hour

  TimelineLog(ControllerDirectory directory, History history, Clock clock) {
    this.directory = directory;
    this.history = history;
    this.clock = clock;
  }

  void add(
      TimelineType type, @Nullable String controller, @Nullable String subject, String message) {
    add(clock.instant(), type, controller, subject, message);
  }

  void add(
      Instant at,
      TimelineType type,
      @Nullable String controller,
      @Nullable String subject,
      String message) {
    Instant now = clock.instant();
    TimelineEvent event =
        new TimelineEvent(
            at,
            type.label(),
            controller,
            subject,
            Json.line(message, MAX_MESSAGE),
            null,
            List.of(directory.replica()));
    events.addLast(event);
    while (events.size() > MAX_EVENTS
        || (!events.isEmpty() && events.getFirst().at().isBefore(now.minus(KEPT)))) {
      events.removeFirst();
    }
    if ((!type.isSeenByAll() || isFirst()) && mayStore(event, now)) {
      history.addEvent(event, now);
    }
  }

  private boolean mayStore(TimelineEvent event, Instant now) {
    if (!now.isBefore(hour.plus(KEPT)) || now.isBefore(hour)) {
      hour = now;
      storedOf.clear();
    }
    if (storedOf.merge(event.sameAs(), 1, Integer::sum) > STORED_OF_ONE) {
      return false;
    }
    if (!now.isBefore(minute.plusSeconds(60)) || now.isBefore(minute)) {
      minute = now;
      storedInMinute = 0;
    }
    return ++storedInMinute <= STORED_PER_MINUTE;
  }

  /** Returns whether this replica is the first of those that are there. */
  private boolean isFirst() {
    return directory.replicas().stream()
        .map(ReplicaInfo::name)
        .allMatch(name -> name.compareTo(directory.replica()) >= 0);
  }

  /** Returns the events, the youngest first. */
  List<TimelineEvent> youngestFirst() {
    return new ArrayList<>(events).reversed();
  }
}
