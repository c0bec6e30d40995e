// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.limiter.internal.ClusterSecret;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the shared limiter.
 *
 * <p>Thread rule: immutable.
 *
 * @param enabled whether it is used; without it every replica has limiters of its own
 * @param port the port of the Hazelcast member, 0 for any free one
 * @param members the other members as {@code host:port}
 * @param service the DNS name of a headless Service instead of those, or empty
 * @param clusterName the name of the Hazelcast cluster
 * @param clusterSecret the secret that members must have to join, or null
 * @param clusterSecretFile the file with the secret instead, or null
 * @param floorShare the share of each rate that is divided among the floors of replicas, without
 *     Hazelcast
 */
public record SharedLimiter(
    boolean enabled,
    int port,
    List<String> members,
    String service,
    String clusterName,
    @Nullable ClusterSecret clusterSecret,
    @Nullable String clusterSecretFile,
    double floorShare) {

  private static final Duration START_LIMIT = Duration.ofMinutes(1);

  public SharedLimiter {
    members = List.copyOf(members);
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
   * @param membership the address of this replica, the number of replicas and the duration of
   *     their Leases
   * @param stopLimit the time to leave the cluster
   * @throws IllegalArgumentException naming the key of the configuration
   */
  public MemberOptions memberOptions(String replica, Membership membership, Duration stopLimit) {
    return MemberOptions.of(replica)
        .with(options ->
            options
                .host(membership.host())
                .port(port)
                .members(members)
                .service(service)
                .clusterName(clusterName)
                .clusterSecret(clusterSecret)
                .maxReplicas(membership.maxReplicas())
                .floorShare(floorShare)
                .viewAge(membership.leaseDuration())
                .startTimeout(START_LIMIT)
                .stopTimeout(stopLimit));
  }
}
