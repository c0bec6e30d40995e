// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.reconcile.Request;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The requests of another mapping, which name a cluster.
 *
 * <p>Thread rule: immutable.
 */
public record ClusterKeys(String cluster, ObjectKeys keys) implements ObjectKeys {

  @Override
  public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
    keys.of(object, metadata, request -> requests.accept(request.inCluster(cluster)));
  }

  @Override
  public boolean staysInNamespace() {
    return keys.staysInNamespace();
  }

  @Override
  public Set<String> members() {
    return keys.members();
  }
}
