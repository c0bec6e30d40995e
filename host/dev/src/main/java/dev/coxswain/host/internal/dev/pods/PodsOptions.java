// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What runs, and where.
 *
 * <p>Thread rule: immutable.
 *
 * @param chart the chart of {@code coxswain chart}
 * @param image the image of {@code coxswain image}
 * @param replicas the number of pods
 * @param namespace the namespace of the operator; empty for that of the name of the chart
 * @param kubeconfig the kubeconfig file of the cluster; null for an API server of this process
 * @param logs the folder of the logs, which stay
 * @param arguments arguments besides those of the Deployment
 */
record PodsOptions(
    Path chart,
    Path image,
    int replicas,
    String namespace,
    @Nullable Path kubeconfig,
    Path logs,
    List<String> arguments) {

  /** The most pods; the chart gives rights for as many. */
  static final int MAX_REPLICAS = 10;

  /** Copies the list. */
  PodsOptions {
    arguments = List.copyOf(arguments);
  }
}
