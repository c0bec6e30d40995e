// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import dev.coxswain.apiserver.internal.store.StoredObject;

/**
 * The selection of a list or watch; immutable.
 *
 * @param namespace namespace, empty = all
 * @param name single object, empty = all
 * @param labels label selector
 * @param fields field selector
 * @param shards ranges of hashes
 */
public record Selection(
    String namespace,
    String name,
    LabelSelector labels,
    FieldSelector fields,
    ShardSelector shards) {
  public boolean matches(StoredObject object) {
    return (namespace.isEmpty() || namespace.equals(object.namespace()))
        && (name.isEmpty() || name.equals(object.name()))
        && labels.matches(object.labels())
        && fields.matches(object)
        && shards.matches(object);
  }
}
