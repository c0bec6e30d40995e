// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.webhook.AdmissionRequest;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Result;
import java.util.Map;

/** Records the creator of each {@link Gizmo}, and refuses a change of it. A schema can do neither. */
public final class GizmoWebhook implements ControllerDefinition, WebhookDefinition {

  static final String CREATED_BY = "hello.example.com/created-by";

  @Override
  public String name() {
    return "gizmo-webhook";
  }

  @Override
  public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
    webhooks
        .mutating(Gizmo.class, GizmoWebhook::complete)
        .validating(Gizmo.class, GizmoWebhook::check);
  }

  /** Fills in what is missing. Defaults of the spec that no schema can have go here, too. */
  static AdmissionResponse<Gizmo> complete(AdmissionRequest<Gizmo> request) {
    Gizmo object = request.object();
    if (createdBy(object) != null) {
      return AdmissionResponse.allowed();
    }
    String creator = request.old().map(GizmoWebhook::createdBy).orElse(request.user().name());
    object.getMetadata().putAnnotationsItem(CREATED_BY, creator);
    return AdmissionResponse.patched(object);
  }

  /** Decides on what is left after all mutating webhooks, and changes nothing. */
  static AdmissionResponse<Gizmo> check(AdmissionRequest<Gizmo> request) {
    String stored = request.old().map(GizmoWebhook::createdBy).orElse(null);
    if (stored == null || stored.equals(createdBy(request.object()))) {
      return AdmissionResponse.allowed();
    }
    return AdmissionResponse.denied(CREATED_BY + " cannot be changed, it is " + stored);
  }

  private static String createdBy(Gizmo object) {
    Map<String, String> annotations = object.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(CREATED_BY);
  }

  /** Each webhook belongs to a controller. This one has no sources, and so nothing to reconcile. */
  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(name()).reconciles((request, context) -> Result.done());
  }
}
