// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill.herd;

import java.util.Locale;

/**
 * A kind of the drill's objects; each has a controller with the name of its plural.
 *
 * <p>Thread rule: immutable.
 */
public enum HerdKind {
  WEBSITE("Website"),
  BACKUP("Backup"),
  CERTIFICATE("Certificate");

  /** The group of all kinds. */
  public static final String GROUP = "drill.coxswain.dev";

  /** The version of all kinds. */
  public static final String VERSION = "v1";

  private final String label;

  HerdKind(String label) {
    this.label = label;
  }

  /** Returns the kind as objects name it. */
  public String label() {
    return label;
  }

  /** Returns the plural, which is also the name of the controller. */
  public String plural() {
    return label.toLowerCase(Locale.ROOT) + "s";
  }

  /** Returns the definition of the kind, as YAML. */
  public String definition() {
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: %2$s.%3$s}
    spec:
      group: %3$s
      names: {kind: %1$s, listKind: %1$sList, plural: %2$s, singular: %4$s}
      scope: Namespaced
      versions:
      - name: %5$s
        served: true
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec:
                type: object
                properties:
                  failure: {type: string, description: What the object fails of.}
    """
        .formatted(label, plural(), GROUP, label.toLowerCase(Locale.ROOT), VERSION);
  }
}
