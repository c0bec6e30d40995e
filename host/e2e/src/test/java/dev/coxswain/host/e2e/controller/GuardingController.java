// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.controller;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.WebhookOptions;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;

/** Refuses ConfigMaps with the label {@code guarded=yes}, unless its configuration says otherwise. */
public final class GuardingController implements ControllerDefinition, WebhookDefinition {

  /** Creates the definition; called by the host. */
  public GuardingController() {}

  @Override
  public String name() {
    return "guarding";
  }

  @Override
  public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
    if (!"no".equals(environment.config().get("guards"))) {
      webhooks.validating(
          V1ConfigMap.class,
          WebhookOptions.DEFAULT.withObjectLabels(Map.of("guarded", "yes")),
          request -> AdmissionResponse.denied("it is guarded"));
    }
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(name()).reconciles((request, context) -> Result.done());
  }
}
