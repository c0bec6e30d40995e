// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The selection of a list.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace, empty for all
 * @param labelSelector a label selector such as {@code app=web,tier in (a,b)}, empty for all
 * @param fieldSelector a field selector such as {@code metadata.name=x}, empty for all
 */
public record ListOptions(String namespace, String labelSelector, String fieldSelector) {

  /** All objects of all namespaces. */
  public static final ListOptions ALL = new ListOptions("", "", "");

  public ListOptions {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(labelSelector, "labelSelector");
    Objects.requireNonNull(fieldSelector, "fieldSelector");
  }

  /** Returns the query parameters of the selectors. */
  Map<String, String> query() {
    Map<String, String> query = new HashMap<>();
    if (!labelSelector.isEmpty()) {
      query.put("labelSelector", labelSelector);
    }
    if (!fieldSelector.isEmpty()) {
      query.put("fieldSelector", fieldSelector);
    }
    return query;
  }

  /** Returns these options for one namespace. */
  public ListOptions inNamespace(String value) {
    return new ListOptions(value, labelSelector, fieldSelector);
  }

  /** Returns these options with a label selector. */
  public ListOptions labels(String value) {
    return new ListOptions(namespace, value, fieldSelector);
  }

  /** Returns these options with a field selector. */
  public ListOptions fields(String value) {
    return new ListOptions(namespace, labelSelector, value);
  }
}
