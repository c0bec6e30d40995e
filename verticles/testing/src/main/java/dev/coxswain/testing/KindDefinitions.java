// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.util.Locale;

/**
 * Definitions of kinds that tests install in an API server.
 *
 * <p>Thread rule: any thread.
 */
public final class KindDefinitions {

  /** A kind whose objects are converted between two versions, of which the later one is stored. */
  public static final String BOXES =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: boxes.tests.coxswain.dev}
      spec:
        group: tests.coxswain.dev
        names: {kind: Box, plural: boxes}
        scope: Namespaced
        versions:
        - name: v1alpha1
          served: true
          storage: false
          schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
        - name: v1
          served: true
          storage: true
          schema: {openAPIV3Schema: {type: object, properties: {count: {type: integer}}}}
      """;

  private KindDefinitions() {}

  /** Returns a kind of version {@code v1} in namespaces, with a status and with any fields. */
  public static String of(String group, String kind) {
    String singular = kind.toLowerCase(Locale.ROOT);
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: %3$ss.%1$s}
    spec:
      group: %1$s
      names: {kind: %2$s, listKind: %2$sList, plural: %3$ss, singular: %3$s}
      scope: Namespaced
      versions:
      - name: v1
        served: true
        storage: true
        subresources: {status: {}}
        schema:
          openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
    """
        .formatted(group, kind, singular);
  }
}
