// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.HumanDuration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Something that has happened in the cluster.
 *
 * @param type such as {@code replicaLeft}
 * @param subject what it happened to, besides the controller: a replica, limiter, cause, plug-in or
 *     operation; for a change the id of its request
 * @param actor who requested a change; null for what has happened by itself
 * @param replicas the replicas that have seen or done it
 */
public record TimelineEvent(
    Instant at,
    String type,
    @Nullable String controller,
    @Nullable String subject,
    String message,
    @Nullable String actor,
    List<String> replicas) {

  public static final Columns<TimelineEvent> COLUMNS =
      Columns.of(TimelineEvent::type)
          .age("AGE", "The time since then.", TimelineEvent::at)
          .text("TYPE", "What kind of event it is.", TimelineEvent::type)
          .text("CONTROLLER", "The controller.", TimelineEvent::controller)
          .text("ACTOR", "Who requested it.", TimelineEvent::actor)
          .text("MESSAGE", "What has happened.", TimelineEvent::message)
          .wide()
          .text("TIME", "The time.", one -> HumanDuration.time(one.at()))
          .text("SUBJECT", "What it happened to.", TimelineEvent::subject)
          .text(
              "REPLICAS",
              "The replicas that have seen or done it.",
              one -> String.join(",", one.replicas()))
          .build();

  public TimelineEvent {
    replicas = List.copyOf(replicas);
  }

  /** Returns whether it is complete: what was read from a store may lack any field. */
  @SuppressWarnings("NullAway")
  boolean isValid() {
    return at != null && type != null && message != null;
  }

  /** Returns what events of several replicas about the same thing have in common. */
  public List<String> sameAs() {
    return List.of(
        type,
        controller == null ? "" : controller,
        subject == null ? "" : subject,
        // A client may use the id of a request twice; the message of a change begins with its
        // action.
        actor == null ? "" : actor + " " + message.split("[ :]", 2)[0]);
  }

  /**
   * Returns this event with the replicas of a later one. The longer message is kept: a replica that only
   * forwards a change records less of it.
   */
  public TimelineEvent plus(TimelineEvent later) {
    return new TimelineEvent(
        at,
        type,
        controller,
        subject,
        message.length() < later.message.length() ? later.message : message,
        actor,
        Stream.concat(replicas.stream(), later.replicas.stream()).distinct().sorted().toList());
  }
}
