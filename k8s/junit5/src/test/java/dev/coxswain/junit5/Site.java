// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.KindDefinitions;
import org.jspecify.annotations.Nullable;

/** A resource with one volume, for the controllers of these tests. */
@KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "sites")
public final class Site extends CustomObject {

  /** Its definition. */
  public static final String DEFINITION = KindDefinitions.of("test.coxswain.dev", "Site");

  /** The name of its definition. */
  static final Request DEFINED = Request.of("sites.test.coxswain.dev");

  /** The kind of its definition. */
  static final ResourceType<Unstructured> DEFINITIONS =
      ResourceType.unstructured(
          "apiextensions.k8s.io",
          "v1",
          "customresourcedefinitions",
          "CustomResourceDefinition",
          false);

  private @Nullable Spec spec;
  private @Nullable Status status;

  /** The desired state. */
  public record Spec(int replicas, @Nullable String message) {}

  /** The observed state. */
  public record Status(@Nullable String phase, @Nullable String volume) {}

  /** Returns the document of a site. */
  public static String yaml(String name, int replicas, String message) {
    return """
    apiVersion: test.coxswain.dev/v1
    kind: Site
    metadata: {namespace: default, name: %s}
    spec: {replicas: %d, message: %s}
    """
        .formatted(name, replicas, message);
  }

  public Spec spec() {
    return spec == null ? new Spec(0, null) : spec;
  }

  public void setSpec(Spec value) {
    spec = value;
  }

  public Status status() {
    return status == null ? new Status(null, null) : status;
  }

  public void setStatus(Status value) {
    status = value;
  }
}
