// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Replicas that claim one controller in their Leases, each step of which a test takes alone. */
final class OwnershipModel {

  static final String KEY = "controllers";
  static final String NAME = "c";

  /** The Leases as the API server has them: the text of each holder. */
  final Map<String, String> leases = new TreeMap<>();

  long now = 1;

  /** The version of the store, and the highest one of a Lease. */
  private long version;

  private long leaseVersion;

  /** The highest epoch of attempts by ownership. */
  final Map<Ownership, Long> used = new EnumMap<>(Ownership.class);

  boolean ownerUnknown;
  String problem = "";

  /** The longest text in a Lease; longer ones are in {@link #textsOf}. */
  int longest = 1_000;

  final MemoryTexts textsOf = new MemoryTexts();

  final class Replica {
    final int ordinal;
    final Ownership ownership;
    final OwnershipRules rules = new OwnershipRules(() -> {});
    final Deque<Runnable> tasks = new ArrayDeque<>();
    final ClaimTexts texts =
        new ClaimTexts(textsOf, KEY, tasks::add, tasks::add, longest, Duration.ZERO);
    int incarnation;
    boolean holds;
    boolean wanted = true;
    boolean running;
    int phase;
    String sent = "";
    String text = "";
    String stored = "";
    long storedAt;
    ReplicaLeases.@Nullable LeaseList list;

    Replica(int ordinal, Ownership ownership) {
      this.ordinal = ordinal;
      this.ownership = ownership;
    }

    String identity() {
      return "r" + ordinal + "_" + incarnation;
    }

    /** Acquires or renews the Lease. */
    void store() {
      while (phase != 0) {
        renewalStep();
      }
      do {
        renewalStep();
      } while (phase != 0);
    }

    /** A renewal is sent with the present text, stored, or answered. */
    void renewalStep() {
      switch (phase) {
        case 0 -> sent = text;
        case 1 -> put(identity(), sent);
        default -> {
          stored = sent;
          holds = true;
          storedAt = ++now;
        }
      }
      phase = (phase + 1) % 3;
    }

    void list() {
      long sent = ++now;
      list =
          new ReplicaLeases.LeaseList(
              leases.entrySet().stream()
                  .map(entry -> {
                    int ordinal = entry.getKey().charAt(1) - '0';
                    return new ReplicaLeaseStatus.Taken(
                        ordinal,
                        entry.getKey(),
                        null,
                        "none",
                        false,
                        true,
                        Map.of(),
                        Map.of(KEY, entry.getValue()));
                  })
                  .toList(),
              Set.of(),
              Set.of(),
              leaseVersion,
              sent,
              ++now);
    }

    void pass() {
      ReplicaLeases.OwnLease own =
          new ReplicaLeases.OwnLease(
              identity(), holds, now + 1_000_000, holds ? Map.of(KEY, stored) : Map.of(), storedAt);
      OptionalInt held = holds ? OptionalInt.of(ordinal) : OptionalInt.empty();
      String claims =
          rules.pass(
              texts.resolved(own), texts.resolved(list, now), KEY, ownerUnknown, problem, ++now);
      text = texts.shortened(claims, held);
      texts.request(held, now);
    }

    /** The API server receives a request for a text and the response arrives. */
    void answer() {
      Runnable task = tasks.poll();
      if (task != null) {
        task.run();
      }
    }

    private void passWithTexts() {
      for (int i = 0; i < 4; i++) {
        pass();
        answer();
        answer();
      }
      pass();
    }

    /** What the manager does: one step of starting or stopping. */
    void manage() {
      boolean admitted = rules.admits(NAME, ownership, wanted);
      if (running && !admitted) {
        running = false;
      } else if (!running && admitted) {
        running = true;
        attempt();
      } else if (!running) {
        rules.ended(NAME);
      }
    }

    /** Starts an attempt, in a slot that it has just received. */
    void attempt() {
      boolean owner = ownership != Ownership.EVERYWHERE;
      long epoch = Math.max(rules.epoch(NAME), owner ? ++version : 0);
      used.forEach((other, highest) -> {
        if (other != ownership && (owner || holds)) {
          assertThat(rules.epoch(NAME)).as("after %s", other).isGreaterThan(highest);
        }
      });
      used.merge(ownership, epoch, Math::max);
    }

    String problem() {
      return rules.ended(NAME);
    }

    void settle() {
      manage();
      passWithTexts();
      store();
      passWithTexts();
      store();
      list();
      passWithTexts();
      manage();
      passWithTexts();
      store();
    }

    /** Stops, after what it runs has ended. */
    void leave() {
      running = false;
      put(identity(), "");
      leases.remove(identity());
      holds = false;
    }
  }

  private void put(String identity, String text) {
    leases.put(identity, text);
    leaseVersion = ++version;
  }

  Replica replica(int ordinal, Ownership ownership) {
    return new Replica(ordinal, ownership);
  }
}
