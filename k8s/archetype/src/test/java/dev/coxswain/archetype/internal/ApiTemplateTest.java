// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That the projects can be built is tested with Maven, in {@code ArchetypeIT}. */
class ApiTemplateTest {

  @ParameterizedTest
  @CsvSource({"java, java, false", "kotlin, kt, true"})
  void noNameOfTheTemplate_isLeft(String language, String suffix, boolean kotlin) {
    ApiTemplate api =
        ApiTemplate.of(
            "Policy.shop.example.org/v1beta2", "night-watch", "com.example.watch", kotlin);
    Map<String, String> files = new LinkedHashMap<>(api.files());
    files.putAll(api.webhookFiles());
    ProjectTemplateTest.assertNoNameOfTheTemplate(files);
    files.forEach((name, text) ->
        assertThat(name + text)
            .as(name)
            .doesNotContainIgnoringCase("gizmo")
            .doesNotContain("hello.example", "shop.example.org/v1\n"));
    assertThat(files.keySet())
        .containsExactlyInAnyOrder(
            "src/main/" + language + "/com/example/watch/Policy." + suffix,
            "src/main/" + language + "/com/example/watch/PolicyController." + suffix,
            "src/main/" + language + "/com/example/watch/PolicyWebhook." + suffix,
            "src/test/" + language + "/com/example/watch/PolicyControllerTest." + suffix,
            "src/test/" + language + "/com/example/watch/PolicyWebhookTest." + suffix,
            "src/main/resources/coxswain/dev/night-watch/crd-policies.yaml",
            "src/main/k8s/examples/policy.yaml");
    assertThat(files.get("src/main/" + language + "/com/example/watch/Policy." + suffix))
        .contains("group = \"shop.example.org\", version = \"v1beta2\", plural = \"policies\"");
    assertThat(files.get(api.definition()))
        .startsWith("apiVersion: apiextensions.k8s.io/v1\n")
        .contains("name: policies.shop.example.org\n", "- name: v1beta2\n", "singular: policy\n");
    assertThat(files.get(api.example())).startsWith("apiVersion: shop.example.org/v1beta2\n");
  }

  /** A name may contain one of the template, which is not replaced again. */
  @Test
  void aKindThatHasANameOfTheTemplateInIt_staysAsItIs() {
    ApiTemplate api = ApiTemplate.of("GizmoGreeter", "gizmo-greeter", "org.gizmos", false);
    assertThat(api.files().get("src/main/java/org/gizmos/GizmoGreeterController.java"))
        .contains("package org.gizmos;", "class GizmoGreeterController ", "\"gizmogreeter\"");
    assertThat(api.definition())
        .isEqualTo("src/main/resources/coxswain/dev/gizmo-greeter/crd-gizmogreeters.yaml");
  }

  @ParameterizedTest
  @CsvSource({
    "Website, shop, websites, shop.example.com",
    "Policy, com.example.shop, policies, shop.example.com",
    "Gateway, com.example.order_sync, gateways, order-sync.example.com",
    "Bus, com.new_, buses, new.com",
    "Box, shop, boxes, shop.example.com",
    "Branch, shop, branches, shop.example.com",
  })
  void pluralAndGroup_areThoseThatPeopleExpect(
      String kind, String javaPackage, String plural, String group) {
    ApiTemplate api = ApiTemplate.of(kind, "shop", javaPackage, false);
    assertThat(api.plural()).isEqualTo(plural);
    assertThat(api.group()).isEqualTo(group);
    assertThat(api.version()).isEqualTo("v1");
  }

  @ParameterizedTest
  @CsvSource({
    "website, '\"website\" cannot be a kind'",
    "Web-site, '\"Web-site\" cannot be a kind'",
    "'', is no resource",
    "Website., is no resource",
    "Website.shop, '\"shop\" cannot be a group'",
    "Website.Shop.example.com, cannot be a group",
    "Website.apps.k8s.io/v1, is a group of Kubernetes",
    "Website.shop.example.com/1, '\"1\" cannot be a version'",
    "Website.shop.example.com/v1/v2, cannot be a version",
    "Resource, need Resource from elsewhere",
    "Throw, need Throw from elsewhere",
    "A, '\"A\" cannot be a kind'",
  })
  void whatCannotBeAResource_isRefused_inOneLine(String resource, String why) {
    assertThatThrownBy(() -> ApiTemplate.of(resource, "shop", "shop", false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .message()
        .hasLineCount(1);
  }

  /** A class of that name would hide the one that is imported, or belongs to Java. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theNamesOfClassesThatTheTemplateUses_areRefusedAsKinds(boolean kotlin) {
    ApiTemplate api = ApiTemplate.of("Policy", "shop", "shop", kotlin);
    Pattern imported = Pattern.compile("import [a-z0-9.`]+\\.([A-Z]\\w+);?\n");
    assertThat(List.of(api.files(), api.webhookFiles()))
        .flatMap(Map::values)
        .flatMap(text -> imported.matcher(text).results().map(found -> found.group(1)).toList())
        .hasSizeGreaterThan(30)
        .allSatisfy(name ->
            assertThatThrownBy(() -> ApiTemplate.requireKind(name)).hasMessageContaining(name));
  }

  @Test
  void twoResourcesWithTheSameFiles_areRefused() {
    ProjectTemplate project = ProjectTemplate.of("shop", "shop", false, false);
    List<ApiTemplate> twice =
        Stream.of("Cart.a.example.com", "Cart.b.example.com")
            .map(name -> ApiTemplate.of(name, "shop", "shop", false))
            .toList();
    assertThatThrownBy(() -> project.files(twice, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("src/main/java/shop/Cart.java");
  }
}
