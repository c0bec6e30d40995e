// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;

/**
 * The object that a write is for; immutable.
 *
 * @param resource its resource in the version of the request
 * @param namespace its namespace, empty = none
 * @param name its name
 * @param subresource {@code status} or another part that is written, empty = the whole object
 */
public record Target(ServedResource resource, String namespace, String name, String subresource) {
  ResourceType type() {
    return resource.type();
  }
}
