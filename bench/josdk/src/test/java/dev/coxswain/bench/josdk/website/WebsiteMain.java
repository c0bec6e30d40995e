// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.josdk.website;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;

/** Starts the operator. */
public final class WebsiteMain {
  private WebsiteMain() {}

  /** Starts the operator with leader election and metrics. */
  public static void start(Cdn cdn, Metrics metrics) {
    Operator operator =
        new Operator(o ->
            o.withConcurrentReconciliationThreads(4)
                .withMetrics(metrics)
                .withLeaderElectionConfiguration(
                    new LeaderElectionConfiguration("website", "website-system")));
    operator.register(new WebsiteReconciler(cdn));
    operator.start();
  }
}
