// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import dev.coxswain.controller.Controller;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.HostSetup;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import java.util.List;
import org.slf4j.LoggerFactory;

/** A host in a process of its own that logs more than a pipe holds; reports on standard error. */
final class HostProcess {
  private HostProcess() {}

  public static void main(String[] arguments) throws Exception {
    CoxswainConfiguration configuration =
        HostSetup.configuration(
            "controllers.quiet.ownership=everywhere", "changes.pauses.enabled=false");
    HostSetup.Definition quiet =
        new HostSetup.Definition(
            "quiet",
            _ -> Controller.named("quiet").reconciles((request, context) -> Result.done()));
    LoggingSetup.apply(configuration.logging(), LoggingSetup.Target.STDOUT);
    Host host =
        new Host(
            configuration,
            List.of(quiet),
            HostSetup.nowhere(),
            new HostMetrics("test"),
            LoggingSetup.audit(),
            Tracing.OFF,
            Clock.system());
    host.start().await();
    host.ready().await();
    for (int i = 0; i < 20_000; i++) {
      LoggerFactory.getLogger("flood").atWarn().addKeyValue("line", i).log("x".repeat(100));
    }
    System.err.println(host.report().toJson());
  }
}
