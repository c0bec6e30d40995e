// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.internal.time.Durations;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import java.time.Duration;

/**
 * The settings of the replicas as one group: their Leases and the slots that they divide. All
 * replicas must have the same, except {@code weight}.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace of the Leases and of the slot map
 * @param name the beginning of their names
 * @param host the address of this replica that the others reach, for its admin API and its
 *     Hazelcast member
 * @param maxReplicas the number of replica Leases
 * @param leaseDuration the time after the last renewal at which a replica Lease expires
 * @param renewPeriod the period in which a replica renews its Lease and lists the others
 * @param slots the number of slots of a new slot map, a power of two
 * @param slotsBy what decides about the slot of a request, for a new slot map
 * @param weight the share of the slots of this replica relative to others, 0 for none
 */
public record Membership(
    String namespace,
    String name,
    String host,
    int maxReplicas,
    Duration leaseDuration,
    Duration renewPeriod,
    int slots,
    SlotDivision slotsBy,
    int weight) {

  /** The default number of Leases. */
  public static final int DEFAULT_MAX_REPLICAS = 10;

  /** The default duration of a Lease. */
  public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(15);

  /** The default period of renewals. */
  public static final Duration DEFAULT_RENEW_PERIOD = Duration.ofSeconds(2);

  /** The default number of slots. */
  public static final int DEFAULT_SLOTS = 64;

  /** The default weight. */
  public static final int DEFAULT_WEIGHT = 100;

  /** The largest weight. */
  public static final int MAX_WEIGHT = 10_000;

  /** The shortest Lease: a write must fit into the grace, with a margin for the drift of clocks. */
  public static final Duration LEAST_LEASE_DURATION = Duration.ofSeconds(3);

  /**
   * The least number of renewals until a replica stops acting: it may miss some, and the view of
   * other replicas is fresh.
   */
  private static final int RENEWALS = 4;

  private static final int THIRDS = 3;
  private static final Duration GRACE_OF_SHORT_LEASES = Duration.ofMillis(2500);
  private static final Duration LEAST_MARGIN = Duration.ofMillis(500);
  private static final int MARGIN_PART = 20;

  public Membership {
    leaseDuration = Durations.clamp(leaseDuration);
    renewPeriod = Durations.clamp(renewPeriod);
  }

  /**
   * Returns how long before the end of its Lease a replica stops acting: a third of it, and with a
   * short Lease up to 2.5 s.
   */
  public Duration grace() {
    Duration third = leaseDuration.dividedBy(THIRDS);
    Duration most = leaseDuration.multipliedBy(5).dividedBy(12);
    Duration least = most.compareTo(GRACE_OF_SHORT_LEASES) < 0 ? most : GRACE_OF_SHORT_LEASES;
    return third.compareTo(least) > 0 ? third : least;
  }

  /** Returns the time without a renewal after which a replica stops acting. */
  public Duration renewDeadline() {
    return leaseDuration.minus(grace());
  }

  /** Returns the longest period of renewals. */
  public Duration maxRenewPeriod() {
    return renewDeadline().dividedBy(RENEWALS);
  }

  /**
   * Returns the longest time from the start of a write to its effect: the grace without a margin
   * for clocks that drift apart.
   */
  public Duration requestLife() {
    Duration margin = leaseDuration.dividedBy(MARGIN_PART);
    return grace().minus(margin.compareTo(LEAST_MARGIN) > 0 ? margin : LEAST_MARGIN);
  }

  /** Returns the times of the Leases. */
  public LeaseOptions leaseOptions() {
    return new LeaseOptions(leaseDuration, renewDeadline(), renewPeriod);
  }

  /** Returns the prefix of the names of the Leases, before a dash and the ordinal. */
  public String leasePrefix() {
    return name + "-replica";
  }

  /** Returns the name of the ConfigMap with the slot map. */
  public String mapName() {
    return name + "-slots";
  }

  /** Returns the name of the ConfigMap with what the replica of an ordinal hands over. */
  public String movedName(int ordinal) {
    return name + "-moved-" + ordinal;
  }

  /** Returns the name of the ConfigMap with the controllers of the replica of an ordinal, if its Lease does not name them. */
  public String controllersName(int ordinal) {
    return name + "-controllers-" + ordinal;
  }
}
