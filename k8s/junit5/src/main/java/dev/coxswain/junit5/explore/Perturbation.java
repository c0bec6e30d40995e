// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.explore;

import java.util.List;
import java.util.Locale;

/**
 * One thing that goes wrong in a run of a scenario.
 *
 * <p>Thread rule: immutable.
 *
 * @param kind what
 * @param at the call, write, attempt or event that it happens to, counted from 1 as in the reference
 *     run
 * @param by by how many events or versions a cache is late; with {@link Kind#SLOT_AWAY} what the server makes of selectors; 0 for
 *     kinds without such a number
 */
public record Perturbation(Kind kind, int at, int by) {

  /** What a perturbation is counted by. */
  public enum Place {
    /** Any request of a reconciler. */
    CALL,
    /** A request of a reconciler that changes something. */
    WRITE,
    /** A call of a reconciler. */
    ATTEMPT,
    /** A watch event, in the order in which informers receive them. */
    EVENT
  }

  /** The kinds of perturbations. */
  public enum Kind {
    /** The process ends right before the write; another one starts. */
    CRASH_BEFORE(Place.WRITE, "the process crashes before the write"),
    /** The process ends right after the write, before it has its response; another one starts. */
    CRASH_AFTER(Place.WRITE, "the process crashes after the write"),
    /**
     * As a crash after the write; the caches of the next process begin in the past: 1 is right
     * before this write, 2 right after the one before, and so on.
     */
    STALE_RESTART(
        Place.WRITE, "the process crashes after the write, the next one starts with stale caches"),
    /** Another process takes over while this one is stopped right before the write. */
    HAND_OVER(Place.WRITE, "another replica takes over while this one is stopped before the write"),
    /** The process is replaced after the attempt. */
    MOVE(Place.ATTEMPT, "the controller moves to another process after the attempt"),
    /** The call fails with 409. */
    CONFLICT(Place.WRITE, "the write fails with 409"),
    /** The call fails with 429 and Retry-After. */
    TOO_MANY_REQUESTS(Place.CALL, "the call fails with 429, Retry-After 1 s"),
    /** The call fails with 500. */
    SERVER_ERROR(Place.CALL, "the call fails with 500"),
    /** The call has no response and no effect. */
    TIMEOUT_BEFORE(Place.CALL, "the call times out and has no effect"),
    /** The write has no response and takes effect. */
    TIMEOUT_AFTER(Place.WRITE, "the write times out and takes effect"),
    /** A user annotates the object right before the write. */
    USER_EDIT(Place.WRITE, "a user edits the object right before the write"),
    /** The user's next step comes right before the write. */
    EARLY_STEP(Place.WRITE, "the next step of the scenario comes right before the write"),
    /** From this event on one cache is some events late, and everything is reconciled on it. */
    LAG(Place.EVENT, "the cache lags, and everything is reconciled on it"),
    /** This event and later ones are never seen: the informer lists again after the next step. */
    OVERTAKEN(Place.EVENT, "the event is overtaken: the watch expires after the next step"),
    /**
     * After the attempt the slot of its namespace goes to another replica, which does nothing, and comes back after the next
     * step. In the whole run slots are by namespace: caches keep the namespaces of requests only, and watches select them on the
     * server. It obeys with 0; with 1 it ignores selectors, and with 2 every second one, which must make no difference. Only with
     * {@link Scenario#slotsByNamespace}.
     */
    SLOT_AWAY(
        Place.ATTEMPT,
        "another replica has the slot of its namespace from after the attempt until after the next step"),
    /** The request is reconciled once more. */
    DUPLICATE(Place.ATTEMPT, "the request is reconciled a second time"),
    /** The attempt comes after those of other requests. */
    POSTPONE(Place.ATTEMPT, "the attempt is put off behind the others");

    private final Place place;
    private final String text;

    Kind(Place place, String text) {
      this.place = place;
      this.text = text;
    }

    /** Returns what it is counted by. */
    public Place place() {
      return place;
    }

    /** Returns what happens, for people. */
    public String text() {
      return text;
    }

    /** Returns the name in codes, such as {@code crash-after}. */
    public String code() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** What a server makes of selectors, by the number. */
  private static final List<String> SERVERS =
      List.of(
          ", the server selects",
          ", the server ignores selectors",
          ", the server ignores every second selector");

  public Perturbation {
    if (at < 1 || by < 0) {
      throw new IllegalArgumentException("a perturbation counts from 1: " + at + ", by " + by);
    }
  }

  /** Returns a perturbation of a kind without a second number. */
  public static Perturbation of(Kind kind, int at) {
    return new Perturbation(kind, at, 0);
  }

  /**
   * Reads a {@link #code}.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static Perturbation parse(String code) {
    String[] parts = code.split(":", -1);
    if (parts.length == 2 || parts.length == 3) {
      for (Kind kind : Kind.values()) {
        if (kind.code().equals(parts[0])) {
          return new Perturbation(
              kind, Integer.parseInt(parts[1]), parts.length == 3 ? Integer.parseInt(parts[2]) : 0);
        }
      }
    }
    throw new IllegalArgumentException(
        "\"" + code + "\" is not a perturbation such as crash-after:3 or lag:5:1");
  }

  /** Returns the text that {@link #parse} reads, such as {@code crash-after:3}. */
  public String code() {
    return kind.code() + ":" + at + (by == 0 ? "" : ":" + by);
  }

  /** Returns what happens, for people. */
  public String text() {
    String number =
        kind == Kind.SLOT_AWAY ? SERVERS.get(Math.min(by, 2)) : by == 0 ? "" : ", late by " + by;
    return "%s (%s %d%s)"
        .formatted(kind.text(), kind.place().name().toLowerCase(Locale.ROOT), at, number);
  }
}
