// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the embedded Hazelcast member runs and how the cluster divides its budgets.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of this replica, for display; unique in the cluster
 * @param host the address that the member binds and announces
 * @param port its port; 0 for any that is free
 * @param members the other members as {@code host:port}; may hold this one; empty when {@code
 *     service} is given or this is the only one
 * @param service the DNS name of a headless Service that resolves to the members, all on {@code
 *     port}; empty for none
 * @param clusterName what members must have in common; the generation is appended to it
 * @param clusterSecret what keeps others out, by being part of the Hazelcast cluster's name; null
 *     for none
 * @param maxReplicas how many replicas there can be; the same on all replicas
 * @param floorShare the share of each rate that belongs to the floors and needs no Hazelcast; the
 *     same on all replicas
 * @param viewAge how old the view of the other replicas can be at most while a replica may still
 *     act: the lease duration. A pool of which nothing is known stays shut for so long
 * @param startTimeout how long the member may take to start and join
 * @param stopTimeout how long it may take to hand over its data and leave
 */
@RecordBuilder
public record MemberOptions(
    String replica,
    String host,
    int port,
    List<String> members,
    String service,
    String clusterName,
    @Nullable ClusterSecret clusterSecret,
    int maxReplicas,
    double floorShare,
    Duration viewAge,
    Duration startTimeout,
    Duration stopTimeout)
    implements MemberOptionsBuilder.With {

  /** The default port. */
  public static final int DEFAULT_PORT = 5701;

  /** The default maximum of replicas. */
  public static final int DEFAULT_MAX_REPLICAS = 5;

  /** The default share of the rate that belongs to the floors. */
  public static final double DEFAULT_FLOOR_SHARE = 0.2;

  /** The default age of the view: the default lease duration. */
  public static final Duration DEFAULT_VIEW_AGE = Duration.ofSeconds(15);

  /**
   * What members must agree in to form a cluster: the minor version of Hazelcast, whose open-source
   * edition cannot mix two of them, and the version of our own protocol.
   */
  public static final String GENERATION = "hz5.7-l3";

  /** Checks the options; errors name the key of the configuration. */
  public MemberOptions {
    Objects.requireNonNull(replica, "replica");
    if (host.isBlank()) {
      throw new IllegalArgumentException("sharedLimiter.host: expected an address, found nothing");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "sharedLimiter.port: expected a number from 0 to 65535, found " + port);
    }
    members = List.copyOf(members);
    for (String member : members) {
      if (!member.matches(".+:[0-9]{1,5}")) {
        throw new IllegalArgumentException(
            "sharedLimiter.members: expected host:port, found \"" + member + "\"");
      }
    }
    if (!members.isEmpty() && !service.isEmpty()) {
      throw new IllegalArgumentException(
          "sharedLimiter.service: give either the members or the service, not both");
    }
    if (!service.isEmpty() && port == 0) {
      throw new IllegalArgumentException(
          "sharedLimiter.port: with a service all members have the same port, so it cannot be 0");
    }
    if (clusterName.isBlank()) {
      throw new IllegalArgumentException(
          "sharedLimiter.clusterName: expected a name, found nothing");
    }
    new ClusterShape(maxReplicas, floorShare); // checks them
    viewAge = positive("viewAge", viewAge);
    startTimeout = positive("startTimeout", startTimeout);
    stopTimeout = positive("stopTimeout", stopTimeout);
  }

  /** Returns the duration, cut to what a clock can count. */
  private static Duration positive(String field, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(
          "sharedLimiter." + field + ": expected a positive duration, found " + value);
    }
    return Durations.clamp(value);
  }

  /** Returns the defaults: alone on the loopback interface. */
  public static MemberOptions of(String replica) {
    return new MemberOptions(
        replica,
        "127.0.0.1",
        DEFAULT_PORT,
        List.of(),
        "",
        "coxswain",
        null,
        DEFAULT_MAX_REPLICAS,
        DEFAULT_FLOOR_SHARE,
        DEFAULT_VIEW_AGE,
        Duration.ofSeconds(60),
        Duration.ofSeconds(10));
  }

  /**
   * Returns the generation: replicas of one can share a Hazelcast cluster. It may be shown; with a
   * secret it holds a fingerprint of it that lets nobody join.
   */
  public String generationName() {
    ClusterSecret secret = clusterSecret;
    return clusterName
        + (secret == null ? "" : "-s" + secret.fingerprint(clusterName))
        + "-"
        + GENERATION;
  }

  /** Returns the name of the Hazelcast cluster, which must not be shown: with it one can join. */
  public String hazelcastName() {
    ClusterSecret secret = clusterSecret;
    return clusterName
        + (secret == null ? "" : "-" + secret.digest(clusterName))
        + "-"
        + GENERATION;
  }

  /**
   * Checks that a limiter can be divided among this many replicas.
   *
   * @throws IllegalArgumentException naming the key, when its burst is too small
   */
  public void check(LimiterSpec spec) {
    BudgetSplit.of(spec, shape());
  }

  public ClusterShape shape() {
    return new ClusterShape(maxReplicas, floorShare);
  }
}
