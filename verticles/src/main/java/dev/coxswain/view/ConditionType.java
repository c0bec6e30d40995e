// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

/**
 * The standing problems that a controller can have.
 *
 * <p>Thread rule: immutable.
 */
public enum ConditionType {
  /** The API server answers none of this replica's requests. */
  API_SERVER_UNREACHABLE("apiServerUnreachable", false),
  /** The API server of another cluster than that of the host answers none of this replica's requests. */
  CLUSTER_UNREACHABLE("clusterUnreachable", false),
  /** The replica has not renewed its Lease in time, so it starts nothing. */
  REPLICA_SUSPENDED("replicaSuspended", false),
  /** All workers are taken by attempts that do not end, so no attempt is started. */
  WORKERS_EXHAUSTED("workersExhausted", false),
  /** A source ended or failed; its events do not arrive any more. */
  SOURCE_FAILED("sourceFailed", true),
  /** The sources have not synced within the time limit of the controller, so nothing is reconciled. */
  SYNC_TIMED_OUT("syncTimedOut", false),
  /** The reconciler blocks the event loop of the controller. */
  EVENT_LOOP_BLOCKED("eventLoopBlocked", false),
  /**
   * User code holds all carriers of virtual threads: blocking attempts and events of all controllers
   * wait.
   */
  CARRIERS_BLOCKED("carriersBlocked", false),
  /** The stored pauses could not be read, so no attempt is started. */
  PAUSES_UNKNOWN("pausesUnknown", false),
  /** The replica cannot use the Lease that it needs to run the controller. */
  LEASE_UNAVAILABLE("leaseUnavailable", false),
  /** Another replica runs the controller with another ownership, so this one does not run it. */
  OWNERSHIP_DIFFERS("ownershipDiffers", false),
  /** The changed configuration of the replica is faulty, so the one before stays in use. */
  CONFIGURATION_REJECTED("configurationRejected", false),
  /** The namespaces that the configuration selects by their labels could not be read, or are too many. */
  NAMESPACES_UNKNOWN("namespacesUnknown", false);

  private final String label;
  private final boolean fatal;

  ConditionType(String label, boolean fatal) {
    this.label = label;
    this.fatal = fatal;
  }

  /**
   * Returns whether this is the problem of a whole replica, which its host logs once and not for each
   * controller.
   */
  public boolean ofReplica() {
    return this == API_SERVER_UNREACHABLE
        || this == CLUSTER_UNREACHABLE
        || this == REPLICA_SUSPENDED;
  }

  /** Returns the name of this type in the admin API and in metrics. */
  public String label() {
    return label;
  }

  /** Returns whether the controller can no longer do its work, which fails readiness. */
  public boolean fatal() {
    return fatal;
  }
}
