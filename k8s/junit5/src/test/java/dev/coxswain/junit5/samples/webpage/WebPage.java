// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.webpage;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A static page. */
@KubernetesResource(group = "sample.javaoperatorsdk", version = "v1", plural = "webpages")
final class WebPage extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  record Spec(String html, boolean exposed) {}

  record Status(
      @Nullable String htmlConfigMap, @Nullable Boolean areWeGood, @Nullable String errorMessage) {}

  Spec spec() {
    return Objects.requireNonNullElse(spec, new Spec("", false));
  }

  Status status() {
    return Objects.requireNonNullElse(status, new Status(null, null, null));
  }

  void setStatus(Status value) {
    status = value;
  }
}
