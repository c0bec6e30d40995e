// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Hosts on free ports, without authentication and without an API server. */
public final class HostSetup {

  private HostSetup() {}

  static Host create(
      HostMetrics metrics, List<ControllerDefinition> definitions, String... settings)
      throws ConfigurationException {
    return new Host(configuration(settings), definitions, nowhere(), metrics, Clock.system());
  }

  /** Returns its configuration. */
  public static CoxswainConfiguration configuration(String... settings)
      throws ConfigurationException {
    List<String> all = new ArrayList<>(List.of("replicaName=test", "admin.auth.mode=none"));
    for (String port : List.of("admin", "metrics", "health")) {
      all.add(port + ".port=0");
    }
    all.addAll(List.of(settings));
    return ConfigurationLoader.load(null, Map.of(), all);
  }

  /** Returns access to an address at which nothing listens. */
  public static Kubernetes nowhere() {
    return Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT);
  }

  /** A controller that a function builds. */
  public record Definition(String name, Function<ControllerEnvironment, Controller<?>> controller)
      implements ControllerDefinition {
    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return controller.apply(environment);
    }
  }
}
