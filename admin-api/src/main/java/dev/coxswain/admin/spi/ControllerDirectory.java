// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.view.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The controllers and limiters of a host.
 *
 * <p>Thread rule: any thread. It is called on the admin API's event loop, so no method may block.
 */
public interface ControllerDirectory {

  /** Returns the name of this replica. */
  String replica();

  /** Returns all controllers of this replica, each of them once, in a consistent snapshot. */
  Snapshot snapshot();

  /** Returns the running controller of this name, or empty. */
  Optional<ControllerHandle> find(String name);

  /** Returns the limiters that controllers of this replica use. */
  List<BudgetSnapshot> limiters();

  /** Returns the standing problems of this whole replica; empty without any. */
  default List<Condition> conditions() {
    return List.of();
  }

  /** Returns the replicas that hold a replica Lease, this one included; empty without any. */
  default List<ReplicaInfo> replicas() {
    return List.of();
  }

  /**
   * Returns identities of replicas that have released their Lease themselves, as those do that are stopped;
   * the Lease of any other one that is gone has expired, or was deleted.
   */
  default Set<String> released() {
    return Set.of();
  }

  /** Returns the store of pauses; empty when each replica has its own pauses in memory. */
  default Optional<PauseStore> pauses() {
    return Optional.empty();
  }

  /**
   * Returns the store of finished operations and audit records; empty when each replica has only
   * its own in memory.
   */
  default Optional<HistoryStore> history() {
    return Optional.empty();
  }

  /**
   * Returns the port for overrides of shared limiters; empty when each replica has its own
   * limiters.
   */
  default Optional<LimiterOverrides> overrides() {
    return Optional.empty();
  }

  /** Returns the status of the configuration of this replica; empty when it has none to show. */
  default Optional<ConfigurationStatus> configuration() {
    return Optional.empty();
  }

  /** Returns the plug-ins; empty when this host has no folder for them. */
  default Optional<PluginDirectory> plugins() {
    return Optional.empty();
  }

  /**
   * Returns the slots; empty when this host has none, so that each controller runs on one replica or
   * on every replica.
   */
  default Optional<SlotDirectory> slots() {
    return Optional.empty();
  }

  /** Returns the caches of this replica; empty when it has none to show. */
  default List<CacheInfo> caches() {
    return List.of();
  }

  /**
   * A cache of this replica.
   *
   * <p>Thread rule: immutable.
   *
   * @param name what it holds, as text
   * @param phase what it does, such as {@code watching}
   * @param problem why it is not complete or not current; empty otherwise
   * @param synced whether it has held all objects that are needed
   * @param objects the number of objects
   * @param bytes their size
   * @param users how many use it
   * @param lastContact when the API server last sent something
   * @param selection who selects what its watch receives, such as {@code server}
   * @param namespaces the number of namespaces that are asked for; 0 for everything
   * @param ranges the number of ranges of their hashes; 0 for everything
   * @param events how many events were received
   * @param eventBytes the size of their objects
   * @param droppedEvents how many of them were of objects that are not kept
   * @param droppedBytes the size of these objects
   * @param listedObjects how many objects of lists were received, kept or not
   * @param listedBytes the size of these objects
   * @param fullFor the users that need all objects
   */
  record CacheInfo(
      String name,
      String phase,
      String problem,
      boolean synced,
      long objects,
      long bytes,
      long users,
      Instant lastContact,
      String selection,
      long namespaces,
      long ranges,
      long events,
      long eventBytes,
      long droppedEvents,
      long droppedBytes,
      long listedObjects,
      long listedBytes,
      List<String> fullFor) {

    public CacheInfo {
      fullFor = List.copyOf(fullFor);
    }
  }

  /**
   * The controllers of a replica. Each is in one of the lists, in any order.
   *
   * <p>Thread rule: immutable.
   *
   * @param running the running ones
   * @param failed those that should run and could not be started
   * @param idle those that this replica neither runs nor failed to start
   */
  record Snapshot(
      List<ControllerHandle> running, List<FailedController> failed, List<IdleController> idle) {

    public Snapshot {
      running = List.copyOf(running);
      failed = List.copyOf(failed);
      idle = List.copyOf(idle);
    }

    /** Returns the controller of this name if it could not be started. */
    public Optional<FailedController> failed(String name) {
      return failed.stream().filter(controller -> controller.name().equals(name)).findFirst();
    }

    /** Returns the controller of this name if it is idle. */
    public Optional<IdleController> idle(String name) {
      return idle.stream().filter(controller -> controller.name().equals(name)).findFirst();
    }
  }

  /**
   * A replica that holds a replica Lease.
   *
   * <p>Thread rule: immutable.
   *
   * @param name its name
   * @param identity the identity of its present run
   * @param ordinal the ordinal of its Lease
   * @param since when it acquired the Lease, by its own clock; null without a time
   * @param generation the replicas of one generation share their limiters
   * @param pool whether it uses the pool of its generation, or only its floor
   * @param addresses its addresses, by purpose
   */
  record ReplicaInfo(
      String name,
      String identity,
      int ordinal,
      @Nullable Instant since,
      String generation,
      boolean pool,
      Map<String, String> addresses) {

    public ReplicaInfo {
      addresses = Map.copyOf(addresses);
    }
  }

  /**
   * A controller that could not be started.
   *
   * <p>Thread rule: immutable.
   *
   * @param name its name
   * @param error the reason, in a few sentences; shown to all callers with the right to read
   * @param failedAt when the last attempt failed
   * @param attempts the number of attempts to start it
   * @param nextAttemptAt the time of the next attempt, or null for never
   */
  record FailedController(
      String name, String error, Instant failedAt, int attempts, @Nullable Instant nextAttemptAt) {}

  /** The reason why a controller does not run on a replica. */
  enum IdlePhase {
    /** It runs only on the owner, which is another replica or none. */
    STANDBY("standby"),
    /** This replica is about to start it. */
    STARTING("starting"),
    /** This replica has stopped it, and will not start it again. */
    STOPPED("stopped");

    private final String label;

    IdlePhase(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /**
   * A controller that this replica has and does not run.
   *
   * <p>Thread rule: immutable.
   *
   * @param name its name
   * @param phase the reason why it does not run here
   * @param since when this replica last observed an owner; without one, the beginning of the wait
   * @param lastOwner the last observed owner, or null
   * @param owned whether that owner may still act, by the observations of this replica
   */
  record IdleController(
      String name, IdlePhase phase, Instant since, @Nullable String lastOwner, boolean owned) {}
}
