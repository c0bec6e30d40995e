// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Objects;

/**
 * A page of a list.
 *
 * <p>Thread rule: immutable; its objects are owned by the receiver.
 *
 * @param items the objects
 * @param resourceVersion the version of the list, to watch from
 * @param next the token of the next page; empty when this is the last one
 */
public record ResourcePage<T extends KubernetesObject>(
    List<T> items, String resourceVersion, String next) {

  public ResourcePage {
    items = List.copyOf(items);
    Objects.requireNonNull(resourceVersion, "resourceVersion");
    Objects.requireNonNull(next, "next");
  }
}
