// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of the embedded Hazelcast member and of the division of budgets.
 *
 * <p>Thread rule: immutable.
 *
 * @param replica the name of this replica, for display; unique in the cluster
 * @param host the address that the member binds and announces
 * @param port the port of the member; 0 for any free port
 * @param members the members as {@code host:port}, with or without this one; empty when {@code
 *     service} is given or this is the only one
 * @param service the DNS name of a headless Service that resolves to the members, all on {@code
 *     port}; empty for none
 * @param clusterName the name of the cluster, to which the generation is appended
 * @param clusterSecret a secret of which a digest is part of the Hazelcast cluster's name; null for
 *     none
 * @param maxReplicas how many replicas there can be; the same on all replicas
 * @param floorShare the share of each rate that belongs to the floors, which work without
 *     Hazelcast; the same on all replicas
 * @param viewAge the largest age of the view of the other replicas at which a replica may still
 *     act: the lease duration. A pool whose state was lost grants nothing for this long
 * @param startTimeout the time limit for starting and joining
 * @param stopTimeout the time limit for handing over data and leaving
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

  /** The default of {@code maxReplicas}. */
  public static final int DEFAULT_MAX_REPLICAS = 5;

  /** The default share of the rate that belongs to the floors. */
  public static final double DEFAULT_FLOOR_SHARE = 0.2;

  /** The default of {@code viewAge}: the default lease duration. */
  public static final Duration DEFAULT_VIEW_AGE = Duration.ofSeconds(15);

  /**
   * The version that members must share to form a cluster: the minor version of Hazelcast, whose
   * open-source edition cannot mix two of them, and the version of the limiter's own protocol.
   */
  public static final String GENERATION = "hz5.7-l4";

  /** Checks the options; errors name the key of the configuration. */
  public MemberOptions {
    Objects.requireNonNull(replica, "replica");
    if (host.isBlank()) {
      throw new IllegalArgumentException(
          "sharedLimiter.host: expected an address, found an empty value");
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
          "sharedLimiter.service: expected either members or a service, found both");
    }
    if (!service.isEmpty() && port == 0) {
      throw new IllegalArgumentException(
          "sharedLimiter.port: expected the port of all members of the service, found 0");
    }
    if (clusterName.isBlank()) {
      throw new IllegalArgumentException(
          "sharedLimiter.clusterName: expected a name, found an empty value");
    }
    new ClusterShape(maxReplicas, floorShare); // checks them
    viewAge = positive("viewAge", viewAge);
    startTimeout = positive("startTimeout", startTimeout);
    stopTimeout = positive("stopTimeout", stopTimeout);
  }

  /** Returns the duration, clamped to the range of a clock in nanoseconds. */
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
   * Returns the generation: replicas of the same generation can share a Hazelcast cluster. It is
   * not secret; with a cluster secret it contains a digest of it that does not allow a member to
   * join.
   */
  public String generationName() {
    ClusterSecret secret = clusterSecret;
    return clusterName
        + (secret == null ? "" : "-s" + secret.fingerprint(clusterName))
        + "-"
        + GENERATION;
  }

  /** Returns the name of the Hazelcast cluster. It is secret, because a member joins with it. */
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
