// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** A host in a process of its own that logs more than a pipe holds; reports on standard error. */
final class HostProcess {
  private HostProcess() {}

  public static void main(String[] arguments) throws Exception {
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            null,
            Map.of(),
            List.of(
                "replicaName=test",
                "admin.port=0",
                "admin.auth.mode=none",
                "metrics.port=0",
                "health.port=0",
                "controllers.quiet.ownership=everywhere",
                "changes.pauses.enabled=false"));
    LoggingSetup.apply(configuration.logging(), LoggingSetup.Target.STDOUT);
    Host host =
        new Host(
            configuration,
            List.of(new Quiet()),
            Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT),
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

  private static final class Quiet implements ControllerDefinition {
    @Override
    public String name() {
      return "quiet";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named("quiet").reconciles((request, context) -> Result.done());
    }
  }
}
