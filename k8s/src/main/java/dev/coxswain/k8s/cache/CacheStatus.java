// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The status of a cache, for health checks, metrics and display.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the key of the cache, as text
 * @param phase the phase of its reflector
 * @param synced whether it has held a complete list at least once
 * @param objects the number of objects
 * @param bytes the size of their JSON
 * @param users the number of open shares
 * @param lists how many complete lists it has read
 * @param watches how many watches it has opened
 * @param undecodable how many reads found an object that does not fit its class, and how many
 *     objects were skipped because they have no metadata or the transform threw
 * @param indexFailures how often an index threw; the object is kept, and queries of that index fail
 * @param lastError the last failure of the reflector, empty when it has recovered
 * @param lastContact when the last data from the API server was received, or when the cache was
 *     started
 * @param filtered whether it keeps the objects of some slots only
 * @param fullFor the users that make it keep all objects, with the reason of each; empty when the
 *     process has no slots
 * @param watched what its watches select and have received
 */
public record CacheStatus(
    String name,
    Phase phase,
    boolean synced,
    int objects,
    long bytes,
    int users,
    long lists,
    long watches,
    long undecodable,
    long indexFailures,
    String lastError,
    Instant lastContact,
    boolean filtered,
    List<String> fullFor,
    Watched watched) {

  public CacheStatus {
    fullFor = List.copyOf(fullFor);
  }

  /** Returns why the cache is not complete or not current, for display. */
  public Optional<String> problem() {
    return switch (phase) {
      case WAITING_FOR_API -> Optional.of("waits for the resource to be installed: " + lastError);
      case STOPPED ->
          users == 0
              ? Optional.empty()
              : Optional.of("was stopped while in use: its objects are outdated");
      case STARTING, LISTING, WATCHING, BACKING_OFF ->
          lastError.isEmpty()
              ? (synced ? Optional.empty() : Optional.of("has not read all objects yet"))
              : Optional.of(lastError + "; it keeps trying");
    };
  }

  /** Returns why the cache does not follow the server although it is in use, for display. */
  public Optional<String> failure() {
    return phase == Phase.STOPPED ? problem() : Optional.empty();
  }

  /** Returns whether it waits before it tries again to read: nothing comes from it until then. */
  public boolean isWaiting() {
    return phase == Phase.WAITING_FOR_API || phase == Phase.BACKING_OFF;
  }

  /**
   * What the watches of a cache select, and what it has received since its start.
   *
   * @param selection who selects
   * @param namespaces the number of namespaces in the selection; 0 without one
   * @param ranges the number of ranges of their hashes; 0 without a selection
   * @param events how many events were received
   * @param bytes the size of their objects
   * @param dropped how many of the events were of objects that are not kept
   * @param droppedBytes the size of the objects of these
   * @param listed how many objects of lists were received, kept or not
   * @param listedBytes the size of these
   */
  public record Watched(
      Selection selection,
      int namespaces,
      int ranges,
      long events,
      long bytes,
      long dropped,
      long droppedBytes,
      long listed,
      long listedBytes) {}

  /** Who selects the objects of a watch that a replica with some slots receives. */
  public enum Selection {
    /** Its watches ask for everything: it keeps all objects, or those of at least four fifths of the namespaces. */
    ALL("all"),
    /** This replica, which receives everything: slots are by key, or the objects are not in the namespaces of the slots. */
    HERE("here"),
    /** This replica: the namespaces are not known yet, or may not be watched. */
    NAMESPACES_UNKNOWN("namespacesUnknown"),
    /** The server, as far as it has shown. */
    SERVER("server"),
    /** This replica: the server receives a selection, and sends everything. */
    IGNORED("ignored"),
    /** This replica: the server, or a proxy, has refused a selection; it receives another one after 10 minutes. */
    REFUSED("refused");

    private final String label;

    Selection(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }

  /** The phases of a reflector. */
  public enum Phase {
    /** Before the first request. */
    STARTING("starting"),
    /** Reading a list. */
    LISTING("listing"),
    /** Following changes. */
    WATCHING("watching"),
    /** Waiting to retry after a failure. */
    BACKING_OFF("backingOff"),
    /** The resource is not installed; polling for it. */
    WAITING_FOR_API("waitingForApi"),
    /** Stopped after its last user. */
    STOPPED("stopped");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    /** Returns the name that the admin API shows. */
    public String label() {
      return label;
    }
  }
}
