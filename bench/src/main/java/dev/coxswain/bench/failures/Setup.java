// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.network.Network;
import java.nio.file.Path;

/**
 * The options of a run.
 *
 * <p>Thread rule: immutable.
 *
 * @param app an installed copy
 * @param folder where everything of the run is written
 * @param budget the limiter's rate and burst
 * @param shared whether all replicas share the limiter; false for the contrast
 * @param keys how many requests fail on each replica
 * @param stubborn whether requests are tried again within 20 ms, whatever happens; otherwise the
 *     ordinary backoff applies
 * @param lease how long a replica's Lease lasts, such as {@code 15s}
 * @param renew how often it is renewed
 */
record Setup(
    Path app,
    Path folder,
    Budget budget,
    boolean shared,
    int keys,
    boolean stubborn,
    String lease,
    String renew) {

  /** How many replicas a run can have at most; all of their addresses are known beforehand. */
  static final int MAX_REPLICAS = 5;

  /** The configuration of a replica. */
  String configuration(Network network, int replica, Path starts) {
    StringBuilder yaml = new StringBuilder();
    yaml.append(
        """
        apiVersion: config.coxswain.dev/v1alpha1
        kind: CoxswainConfiguration
        replicaName: %s
        drainLimit: 20s
        logging: {format: json}
        admin: {host: %s, port: %d, auth: {mode: none}}
        metrics: {host: %s, port: %d}
        health: {host: %s, port: %d}
        limiters:
          default: {rate: %s, burst: %d}
        controllers:
          parked: {enabled: false}
          busy: {enabled: false}
          recorder: {enabled: false}
          storm:
            ownership: everywhere
            concurrency: 16
        """
            .formatted(
                Replica.name(replica),
                network.adminAddress(replica),
                Replica.ADMIN_PORT,
                network.controlAddress(replica),
                Replica.METRICS_PORT,
                network.controlAddress(replica),
                Replica.HEALTH_PORT,
                budget.rate(),
                budget.burst()));
    if (stubborn) {
      yaml.append("    backoff: {base: 5ms, max: 20ms}\n");
    }
    yaml.append("    config: {starts: \"%s\", keys: %d}\n".formatted(starts, keys));
    yaml.append(
        "membership: {host: %s, maxReplicas: %d, leaseDuration: %s, renewPeriod: %s}\n"
            .formatted(network.address(replica), MAX_REPLICAS, lease, renew));
    if (shared) {
      yaml.append(
          """
          sharedLimiter:
            enabled: true
            port: %d
            clusterName: failures
            members:
          """
              .formatted(network.memberPort(replica)));
      for (int i = 0; i < MAX_REPLICAS; i++) {
        yaml.append("  - \"%s:%d\"\n".formatted(network.address(i), network.memberPort(i)));
      }
    }
    return yaml.toString();
  }
}
