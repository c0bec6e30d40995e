// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.util.Locale;

/**
 * Definitions of kinds that tests install in an API server.
 *
 * <p>Thread rule: any thread.
 */
public final class KindDefinitions {

  private KindDefinitions() {}

  /** Returns a kind of boxes, whose field {@code size} is {@code count} in the later version. */
  public static String boxes(String earlier, String later, String stored) {
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: boxes.tests.coxswain.dev}
    spec:
      group: tests.coxswain.dev
      names: {kind: Box, plural: boxes}
      scope: Namespaced
      versions:
      - name: %s
        served: true
        storage: %s
        schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
      - name: %s
        served: true
        storage: %s
        schema: {openAPIV3Schema: {type: object, properties: {count: {type: integer}}}}
    """
        .formatted(earlier, earlier.equals(stored), later, later.equals(stored));
  }

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
