// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.reconcile.Request;
import org.jspecify.annotations.Nullable;

/** A shop with shelves, each a ConfigMap. */
@KubernetesResource(group = "author.coxswain.dev", version = "v1", plural = "shops")
public final class Shop extends CustomObject {

  /** The shop of the scenarios. */
  public static final Request KEY = Request.of("default", "shop");

  /** Its definition. */
  public static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata:
        name: shops.author.coxswain.dev
      spec:
        group: author.coxswain.dev
        scope: Namespaced
        names: {kind: Shop, listKind: ShopList, plural: shops, singular: shop}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              x-kubernetes-preserve-unknown-fields: true
      """;

  private @Nullable Spec spec;
  private @Nullable Status status;

  /** The desired state. */
  public record Spec(int shelves, @Nullable String sign) {}

  /** The observed state. */
  public record Status(@Nullable String text, int shelves) {}

  /** Returns the document of the shop. */
  public static String yaml(int shelves, String sign) {
    return """
    apiVersion: author.coxswain.dev/v1
    kind: Shop
    metadata: {namespace: default, name: shop}
    spec: {shelves: %d, sign: %s}
    """
        .formatted(shelves, sign);
  }

  /** Returns the desired state. */
  public Spec spec() {
    return spec == null ? new Spec(0, null) : spec;
  }

  /** Sets the desired state. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns the observed state. */
  public Status status() {
    return status == null ? new Status(null, 0) : status;
  }

  /** Sets the observed state. */
  public void setStatus(Status value) {
    status = value;
  }
}
