// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.spi.Clock;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Builds the webhooks that definitions declare.
 *
 * <p>Thread rule: any thread that may block: code of definitions is called.
 *
 * @param loops the event loops of controllers, for what handlers build
 */
record WebhookDeclarations(
    Kubernetes kubernetes, Vertx loops, CoxswainConfiguration configuration, Clock clock) {

  /**
   * Returns the webhooks by controller, without controllers that have none.
   *
   * @throws HostException when some cannot be built
   */
  Map<String, Webhooks> of(Collection<ControllerDefinition> definitions) throws HostException {
    Map<String, Webhooks> all = new LinkedHashMap<>();
    for (ControllerDefinition definition : definitions) {
      if (definition instanceof WebhookDefinition declaring) {
        String name = definition.name();
        Webhooks webhooks = new Webhooks(name);
        try {
          declaring.webhooks(webhooks, environment(name));
        } catch (Exception | LinkageError | StackOverflowError e) {
          throw new HostException(
              "the webhooks of controller \"%s\" cannot be built: %s".formatted(name, e), e);
        }
        if (!webhooks.admission().isEmpty() || !webhooks.conversion().isEmpty()) {
          all.put(name, webhooks);
        }
      }
    }
    return all;
  }

  private ControllerEnvironment environment(String controller) {
    return configuration
        .controller(controller)
        .environment(
            Map.of(Kubernetes.class, kubernetes, Vertx.class, loops), " for webhooks", clock);
  }
}
