// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What cannot be meant is refused when it is declared, with what to do instead. */
class DependantDeclarationTest {

  private static final Dependant<Widget, V1ConfigMap> MAP =
      Dependant.of(V1ConfigMap.class, _ -> Optional.of(new V1ConfigMap()));

  /** No request is sent. */
  private final Kubernetes k8s = Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT);

  @AfterEach
  void close() {
    k8s.close();
  }

  private ControllerBuilder builder() {
    return k8s.controller("widgets").forKind(Widget.class);
  }

  @Test
  void mistakes_areReportedAtOnce() {
    assertThatThrownBy(() -> Dependants.of(k8s.controller("widgets"), Widget.class, MAP))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("forKind(...)");
    assertThatThrownBy(
            () -> Dependants.of(k8s.controller("s").forKind(V1Secret.class), Widget.class, MAP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reconciles secrets")
        .hasMessageContaining("those of Widget");
    assertThatThrownBy(() -> Dependants.of(builder(), Widget.class, MAP, MAP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("passed twice");
    Dependant<Widget, V1Namespace> wide =
        Dependant.of(V1Namespace.class, _ -> Optional.of(new V1Namespace()));
    assertThatThrownBy(() -> Dependants.of(builder(), Widget.class, wide))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cluster-scoped");
    ControllerBuilder several =
        builder().owns(V1ConfigMap.class).owns(k8s.kind(V1ConfigMap.class).labels("a=b"));
    assertThatThrownBy(() -> Dependants.of(several, Widget.class, MAP))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 selections of V1ConfigMap");
  }

  @Test
  void cycles_andDependantsThatAreNotDeclared_areRefusedAtOnce() {
    Dependant<Widget, V1Secret> secret =
        Dependant.<Widget, V1Secret>of(V1Secret.class, _ -> Optional.empty()).after(MAP);
    // Nothing can name itself; the nearest to a cycle names two states of one constant.
    Dependant<Widget, V1ConfigMap> cyclic = MAP.after(secret);

    assertThatThrownBy(() -> Dependants.of(builder(), Widget.class, cyclic, secret))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("V1ConfigMap")
        .hasMessageContaining("not passed before it");
    assertThatThrownBy(() -> Dependants.of(builder(), Widget.class, secret, MAP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("V1Secret")
        .hasMessageContaining("not passed before it");
    assertThatThrownBy(() -> Dependants.of(builder(), Widget.class, MAP, MAP.named(_ -> "other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two dependants have the name ConfigMap");
    assertThatThrownBy(() -> MAP.as("a-map"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("upper camel case");
  }

  @Test
  void many_needAnIndex_namesOfTheirOwn_andReadsOfAll() {
    Dependant<Widget, V1ConfigMap> many =
        Dependant.ofMany(V1ConfigMap.class, _ -> List.of(new V1ConfigMap()));
    ControllerBuilder plain = builder().owns(V1ConfigMap.class);
    assertThatThrownBy(() -> Dependants.of(plain, Widget.class, many))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(".indexedBy(Index.byOwnerUid())");
    assertThatThrownBy(() -> many.named(_ -> "web")).isInstanceOf(IllegalStateException.class);

    ControllerBuilder builder =
        builder().owns(k8s.kind(V1ConfigMap.class).indexedBy(Index.byOwnerUid()));
    Dependants<Widget> dependants = Dependants.of(builder, Widget.class, many);
    Widget widget = Widget.of("web", 1);
    assertThatThrownBy(() -> dependants.apply(widget))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no name");
  }
}
