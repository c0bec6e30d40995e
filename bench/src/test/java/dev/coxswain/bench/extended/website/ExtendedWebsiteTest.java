// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.testing.Await;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The law of the guide's own {@code WebsiteControllerTest}, on the other side. */
class ExtendedWebsiteTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

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
  void aWebsite_isPublished_andPurgedWhenItIsDeleted() throws Exception {
    List<String> purged = new CopyOnWriteArrayList<>();
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      server.apply(DEFINITION);
      ApiClient client = ClientBuilder.standard().setBasePath(server.url()).build();
      SharedInformerFactory factory = new SharedInformerFactory(client);
      Controller controller = WebsiteMain.controller(client, factory, purged::add);
      factory.startAllRegisteredInformers();
      Thread run = Thread.ofPlatform().name("website").start(controller);
      try {
        server.apply(WEBSITE);
        var websites =
            new GenericKubernetesApi<>(
                Website.class, WebsiteList.class, "example.com", "v1", "websites", client);
        var maps =
            new GenericKubernetesApi<>(
                V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
        Await.until(
            "the website is ready",
            LIMIT,
            () -> {
              Website shop = websites.get("default", "shop").getObject();
              return shop.isReady();
            });
        assertThat(maps.get("default", "shop").getObject().getData())
            .containsEntry("index.html", "<h1>The shop</h1>");

        websites.delete("default", "shop");
        Await.until(
            "the website is gone",
            LIMIT,
            () -> websites.get("default", "shop").getHttpStatusCode() == 404);
        // Twice when its cache lags behind: finalizers are made for that.
        assertThat(purged).isNotEmpty().containsOnly("shop");
      } finally {
        controller.shutdown();
        factory.stopAllRegisteredInformers();
        run.join(LIMIT);
      }
    }
  }
}
