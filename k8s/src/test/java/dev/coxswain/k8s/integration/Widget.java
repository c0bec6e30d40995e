// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A resource of one's own. */
@KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "widgets")
final class Widget extends CustomObject {

  static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: widgets.test.coxswain.dev}
      spec:
        group: test.coxswain.dev
        names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
        scope: Namespaced
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

  @Nullable Spec spec;
  @Nullable Status status;

  record Spec(int size, @Nullable List<String> tags) {}

  record Status(@Nullable String phase) {}

  static Widget of(String name, int size) {
    Widget widget = new Widget();
    widget.setMetadata(new V1ObjectMeta().namespace("default").name(name));
    widget.spec = new Spec(size, null);
    return widget;
  }
}
