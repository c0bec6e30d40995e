// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.admission.Admission.Phase;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks of all configurations, by the names of the configurations. Confined to the server's
 * event loop.
 */
public final class WebhookDirectory {
  private static final String GROUP = "admissionregistration.k8s.io";
  private static final Map<Phase, String> CONFIGURATIONS =
      Map.of(
          Phase.MUTATING, "mutatingwebhookconfigurations",
          Phase.VALIDATING, "validatingwebhookconfigurations");

  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Map<Phase, List<Webhook>> known = new EnumMap<>(Phase.class);

  /** Creates a directory that follows the configurations in the store. */
  public WebhookDirectory(ResourceRegistry registry, ObjectStore store) {
    this.registry = registry;
    this.store = store;
    store.onChange((collection, change) -> {
      if (collection.storage().startsWith(GROUP)) {
        known.clear();
      }
    });
  }

  /** Returns the webhooks with a rule that matches, in the order of their calls. */
  List<Webhook> matching(Phase phase, AdmissionRequest request) {
    ResourceType type = request.place().resource().type();
    if (type.group().equals(GROUP) && Set.copyOf(CONFIGURATIONS.values()).contains(type.plural())) {
      return List.of(); // so that a broken configuration can always be removed
    }
    return known.computeIfAbsent(phase, this::read).stream()
        .filter(webhook -> webhook.matched(request) != null)
        .toList();
  }

  private List<Webhook> read(Phase phase) {
    ResourceType type = registry.type(GROUP, CONFIGURATIONS.getOrDefault(phase, ""));
    List<Webhook> webhooks = new ArrayList<>();
    if (type != null) {
      for (StoredObject configuration : store.collection(type).range("").values()) {
        for (JsonNode webhook : configuration.bareTree().path("webhooks")) {
          webhooks.add(new Webhook(webhook));
        }
      }
    }
    return List.copyOf(webhooks);
  }

  /** Returns the labels that a namespace selector is applied to, null when it does not matter. */
  @Nullable Map<String, String> namespaceLabels(AdmissionRequest request) {
    ResourceType type = request.place().resource().type();
    if (type.is("", "namespaces")) {
      return request.object() != null
          ? Webhook.labels(request.object())
          : request.old() == null ? null : Webhook.labels(request.old());
    }
    ResourceType namespaces = registry.type("", "namespaces");
    if (!type.namespaced() || namespaces == null) {
      return null;
    }
    StoredObject found = store.collection(namespaces).get("", request.place().namespace());
    return found == null ? Map.of() : found.labels();
  }
}
