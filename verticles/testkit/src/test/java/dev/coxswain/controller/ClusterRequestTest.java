// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request may name the cluster of its object. */
class ClusterRequestTest {

  private static final RequestFormat<Request> FORMAT = RequestFormat.ofRequest();
  private final Request object = Request.of("shop", "web");

  @Test
  void theCluster_isAddedReplacedAndRemoved() {
    Request eu = object.inCluster("eu");
    assertThat(eu).isEqualTo(Request.of("shop", "eu/web")).hasToString("shop/eu/web");
    assertThat(eu.cluster()).isEqualTo("eu");
    assertThat(eu.inCluster("us")).isEqualTo(Request.of("shop", "us/web"));
    assertThat(eu.inCluster("")).isEqualTo(object);
    assertThat(object.cluster()).isEmpty();
    assertThat(object.inCluster("")).isEqualTo(object);
    assertThatThrownBy(() -> object.inCluster("a/b")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theText_isReadAgain() {
    Request eu = object.inCluster("eu");
    assertThat(FORMAT.parse(FORMAT.namespace(eu), FORMAT.name(eu))).contains(eu);
    assertThat(FORMAT.impossible("shop", "eu/web")).isEmpty();
    assertThat(FORMAT.impossible("", "eu/system:node")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/web", "EU/web", "-/web", "eu/", "eu/a/b", "eu/Web"})
  void whatNamesNoClusterOrNoObject_isRefused(String name) {
    assertThat(FORMAT.impossible("shop", name)).isPresent();
  }
}
