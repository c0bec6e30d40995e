// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import dev.coxswain.limiter.ClusterSecret;
import dev.coxswain.limiter.MemberOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the shared limiter and of the replica Leases.
 *
 * <p>Thread rule: immutable.
 *
 * @param enabled whether it is used; without it every replica has limiters of its own
 * @param namespace the namespace of the Leases
 * @param name the prefix of the names of Leases, followed by a dash and a number from 0
 * @param host the address that the Hazelcast member binds and announces
 * @param port its port, 0 for any free one
 * @param members the other members as {@code host:port}
 * @param service the DNS name of a headless Service instead of those, or empty
 * @param clusterName the name of the Hazelcast cluster
 * @param clusterSecret the secret that members must have to join, or null
 * @param clusterSecretFile the file with the secret instead, or null
 * @param maxReplicas the number of Leases
 * @param floorShare the share of each rate that is divided among the floors of replicas, without
 *     Hazelcast
 * @param leaseDuration the time after the last renewal at which a replica Lease expires
 * @param renewPeriod the period in which a replica renews its Lease and reads the others
 */
public record SharedLimiter(
    boolean enabled,
    String namespace,
    String name,
    String host,
    int port,
    List<String> members,
    String service,
    String clusterName,
    @Nullable ClusterSecret clusterSecret,
    @Nullable String clusterSecretFile,
    int maxReplicas,
    double floorShare,
    Duration leaseDuration,
    Duration renewPeriod) {

  /** The default duration of a Lease. */
  public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(15);

  /** The default period of renewals. */
  public static final Duration DEFAULT_RENEW_PERIOD = Duration.ofSeconds(2);

  /**
   * The least number of renewals in a lease duration, so that the view of other replicas is fresh.
   */
  static final int RENEWALS_PER_LEASE = 6;

  /** A replica stops acting when it has not renewed for two thirds of its Lease. */
  private static final int THIRDS = 3;

  private static final Duration START_LIMIT = Duration.ofMinutes(1);

  public SharedLimiter {
    members = List.copyOf(members);
    leaseDuration = dev.coxswain.internal.time.Durations.clamp(leaseDuration);
    renewPeriod = dev.coxswain.internal.time.Durations.clamp(renewPeriod);
  }

  /** Returns the time without a renewal after which a replica stops acting. */
  public Duration renewDeadline() {
    return leaseDuration.multipliedBy(2).dividedBy(THIRDS);
  }

  /**
   * Returns the secret; reads its file, if it has one.
   *
   * @throws IllegalArgumentException naming the key of the configuration
   */
  public @Nullable ClusterSecret secret() {
    String file = clusterSecretFile;
    return file == null ? clusterSecret : ClusterSecret.read(Path.of(file));
  }

  /**
   * Returns the options of the Hazelcast member, without a secret that is in a file.
   *
   * @param replica the name of this replica
   * @param stopLimit the time to leave the cluster
   * @throws IllegalArgumentException naming the key of the configuration
   */
  public MemberOptions memberOptions(String replica, Duration stopLimit) {
    return MemberOptions.of(replica)
        .with(options ->
            options
                .host(host)
                .port(port)
                .members(members)
                .service(service)
                .clusterName(clusterName)
                .clusterSecret(clusterSecret)
                .maxReplicas(maxReplicas)
                .floorShare(floorShare)
                .viewAge(leaseDuration)
                .startTimeout(START_LIMIT)
                .stopTimeout(stopLimit));
  }
}
