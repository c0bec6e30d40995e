// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
public class WebsiteControllerTest {

  private static final Request SHOP = Request.of("default", "shop");

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: websites.example.com}
      spec:
        group: example.com
        scope: Namespaced
        names: {kind: Website, listKind: WebsiteList, plural: websites, singular: website}
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

  private static final String WEBSITE =
      """
      apiVersion: example.com/v1
      kind: Website
      metadata: {namespace: default, name: shop}
      spec: {title: The shop, secret: shop-key}
      """;

  @Test
  void aWebsite_isPublished_andPurgedWhenItIsDeleted(CoxswainTest kit) {
    List<String> purged = new ArrayList<>();
    kit.install(DEFINITION);
    kit.run(new WebsiteController(purged::add));
    kit.apply(WEBSITE);
    kit.settle();

    Resource<Website> websites = kit.client().resource(Website.class);
    assertThat(StatusConditions.isTrue(websites.get(SHOP).orElseThrow().conditions(), "Ready"))
        .isTrue();
    assertThat(kit.queue("website").delayed()).isEqualTo(1); // again in an hour

    websites.delete(SHOP);
    kit.eventually("the website is gone", () -> websites.get(SHOP), Optional::isEmpty);
    assertThat(purged).containsExactly("shop");
  }

  @Test
  void aFailure_isRetried_whenItsBackoffIsOver(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new WebsiteController(site -> {}));
    kit.faults().failNext(1, 500, Duration.ZERO, uri -> uri.contains("configmaps/shop"));
    kit.apply(WEBSITE);

    Resource<V1ConfigMap> maps = kit.client().resource(V1ConfigMap.class);
    kit.eventually("the page exists", () -> maps.get(SHOP), Optional::isPresent);
  }

  @Test
  void aSecret_leadsToTheWebsitesThatUseIt(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new WebsiteController(site -> {}));
    kit.apply(WEBSITE);
    kit.settle();
    long before = attempts(kit);

    kit.apply(
        """
        apiVersion: v1
        kind: Secret
        metadata: {namespace: default, name: shop-key}
        """);
    kit.settle();
    assertThat(attempts(kit)).isEqualTo(before + 1);
  }

  /** Each start of an attempt is one line of the timeline. */
  private static long attempts(CoxswainTest kit) {
    return kit.timeline().lines().filter(line -> line.contains("website default/shop  (")).count();
  }
}
