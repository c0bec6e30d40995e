// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import dev.coxswain.limiter.ClusterSecret;
import dev.coxswain.limiter.MemberOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the replicas share their retry budgets, and which seats there are for them.
 *
 * <p>Thread rule: immutable.
 *
 * @param enabled whether they do; without it every replica has budgets of its own
 * @param namespace where the Leases of the seats are
 * @param name their names are this, a dash and a number from 0
 * @param host the address that the Hazelcast member binds and announces
 * @param port its port, 0 for any free one
 * @param members the other members as {@code host:port}
 * @param service the DNS name of a headless Service instead of those, or empty
 * @param clusterName what the members of one cluster have in common
 * @param clusterSecret what keeps other members out, or null
 * @param clusterSecretFile the file that it is in instead, or null
 * @param maxReplicas how many seats there are
 * @param floorShare the share of each rate that belongs to the seats and needs no Hazelcast
 * @param leaseDuration for how long a replica that is not heard of keeps its seat
 * @param renewPeriod how often a replica renews its Lease and looks at the others
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

  /** The default of how often it is renewed. */
  public static final Duration DEFAULT_RENEW_PERIOD = Duration.ofSeconds(2);

  /** How many renewals must fit into a Lease, so that a view of the others is always fresh. */
  static final int RENEWALS_PER_LEASE = 6;

  /** A replica stops acting when it has not renewed for two thirds of its Lease. */
  private static final int THIRDS = 3;

  private static final Duration START_LIMIT = Duration.ofMinutes(1);

  public SharedLimiter {
    members = List.copyOf(members);
    leaseDuration = dev.coxswain.internal.time.Durations.clamp(leaseDuration);
    renewPeriod = dev.coxswain.internal.time.Durations.clamp(renewPeriod);
  }

  /** Returns after how long without a renewal a replica stops acting. */
  public Duration renewDeadline() {
    return leaseDuration.multipliedBy(2).dividedBy(THIRDS);
  }

  /**
   * Returns the secret, from its file if it is in one. Reads the file.
   *
   * @throws IllegalArgumentException naming the key of the configuration
   */
  public @Nullable ClusterSecret secret() {
    String file = clusterSecretFile;
    return file == null ? clusterSecret : ClusterSecret.read(Path.of(file));
  }

  /**
   * Returns how the Hazelcast member runs, without a secret that is in a file.
   *
   * @param replica the name of this replica
   * @param stopLimit how long it may take to leave
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
