// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.reconcile.Request;
import java.util.function.Consumer;

/**
 * The owners of an object, by its owner references.
 *
 * @param kind the kind of the owners
 * @param group their API group; the version of a reference may differ from the watched one
 * @param namespaced whether they are in a namespace
 * @param controllingOnly whether other owners than the controlling one are left out
 */
record OwnerKeys(String kind, String group, boolean namespaced, boolean controllingOnly)
    implements ObjectKeys {

  @Override
  public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
    if (!(metadata.get("ownerReferences") instanceof JsonArray references)) {
      return;
    }
    for (JsonElement each : references) {
      if (each instanceof JsonObject reference) {
        JsonElement controller = reference.get("controller");
        add(
            object.namespace(),
            Json.text(reference, "kind"),
            Json.text(reference, "apiVersion"),
            controller != null && controller.isJsonPrimitive() && controller.getAsBoolean(),
            Json.text(reference, "name"),
            requests);
      }
    }
  }

  private void add(
      String namespace,
      String ownerKind,
      String apiVersion,
      boolean controls,
      String name,
      Consumer<Request> requests) {
    if (ownerKind.equals(kind)
        && group(apiVersion).equals(group)
        && (!controllingOnly || controls)) {
      requests.accept(new Request(namespaced ? namespace : "", name));
    }
  }

  private static String group(String apiVersion) {
    int slash = apiVersion.indexOf('/');
    return slash < 0 ? "" : apiVersion.substring(0, slash);
  }
}
