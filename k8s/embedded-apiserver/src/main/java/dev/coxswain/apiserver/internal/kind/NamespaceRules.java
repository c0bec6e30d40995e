// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;

/** The name label, the finalizer and the phase of namespaces; any thread. */
final class NamespaceRules implements KindRules {
  @Override
  public void prepare(ObjectNode namespace) {
    Json.ensure(namespace, "spec").putArray("finalizers").add("kubernetes");
    Json.ensure(namespace, "status").put("phase", "Active");
  }

  @Override
  public void defaults(ObjectNode namespace) {
    ObjectNode meta = Json.ensure(namespace, "metadata");
    Json.ensure(meta, "labels").put("kubernetes.io/metadata.name", Json.text(meta, "name"));
  }

  @Override
  public void merge(ObjectNode old, ObjectNode namespace) {
    Json.carry(old, namespace, "spec"); // only the finalize subresource changes it
  }
}
