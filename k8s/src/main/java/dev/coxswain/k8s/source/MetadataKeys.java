// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Function;

/** The requests that a function of the metadata returns. */
record MetadataKeys(Function<V1ObjectMeta, ? extends Collection<Request>> mapping)
    implements ObjectKeys {

  @Override
  public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
    mapping.apply(Json.decode(metadata, V1ObjectMeta.class)).forEach(requests);
  }
}
