// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import java.util.Locale;

/** Definitions of custom resources of the group {@code example.com} that may have any content. */
final class Definitions {
  private Definitions() {}

  static String of(String kind) {
    String singular = kind.toLowerCase(Locale.ROOT);
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: %2$ss.example.com}
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: %1$s, listKind: %1$sList, plural: %2$ss, singular: %2$s}
      versions:
      - name: v1
        served: true
        storage: true
        schema: {openAPIV3Schema: {type: object}}
    """
        .formatted(kind, singular);
  }
}
