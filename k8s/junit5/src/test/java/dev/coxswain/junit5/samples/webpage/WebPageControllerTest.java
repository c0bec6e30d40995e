// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.webpage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1Service;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class WebPageControllerTest {

  private static final Request HELLO = Request.of("default", "hello");

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: webpages.sample.javaoperatorsdk}
      spec:
        group: sample.javaoperatorsdk
        scope: Namespaced
        names: {kind: WebPage, listKind: WebPageList, plural: webpages, singular: webpage}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties:
                    html: {type: string}
                    exposed: {type: boolean}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private static String page(String text, boolean exposed) {
    return """
    apiVersion: sample.javaoperatorsdk/v1
    kind: WebPage
    metadata: {namespace: default, name: hello}
    spec: {html: "<html><body>%s</body></html>", exposed: %s}
    """
        .formatted(text, exposed);
  }

  private static WebPage.Status status(CoxswainTest kit) {
    return kit.client().resource(WebPage.class).get(HELLO).orElseThrow().status();
  }

  private static Map<String, String> podAnnotations(CoxswainTest kit) {
    V1Deployment server = kit.client().resource(V1Deployment.class).get(HELLO).orElseThrow();
    return Objects.requireNonNull(
        Objects.requireNonNull(Objects.requireNonNull(server.getSpec()).getTemplate().getMetadata())
            .getAnnotations());
  }

  @Test
  void aPage_isServed_andExposedOnDemand(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new WebPageController());
    kit.apply(page("Hello", false));
    kit.settle();

    assertThat(kit.client().resource(V1ConfigMap.class).get(Request.of("default", "hello-html")))
        .map(V1ConfigMap::getData)
        .contains(Map.of("index.html", "<html><body>Hello</body></html>"));
    assertThat(kit.client().resource(V1Service.class).get(HELLO)).isPresent();
    assertThat(kit.client().resource(V1Ingress.class).get(HELLO)).isEmpty();
    assertThat(status(kit)).isEqualTo(new WebPage.Status("hello-html", true, null));

    Map<String, String> before = podAnnotations(kit);
    kit.apply(page("Bye", true));
    kit.settle();
    assertThat(podAnnotations(kit)).as("new pods for a new page").isNotEqualTo(before);
    assertThat(kit.client().resource(V1Ingress.class).get(HELLO)).isPresent();

    kit.apply(page("Bye", false));
    kit.settle();
    assertThat(kit.client().resource(V1Ingress.class).get(HELLO)).isEmpty();
  }

  @Test
  void anError_isInTheStatus_untilThePageIsCorrected(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new WebPageController());
    kit.apply(page("error", false));
    kit.settle();
    assertThat(status(kit)).isEqualTo(new WebPage.Status(null, false, "simulated"));
    assertThat(kit.queue("webpage").delayed()).isEqualTo(1);

    kit.apply(page("Hello", false));
    kit.eventually("it is good", () -> status(kit).areWeGood(), Boolean.TRUE::equals);
    assertThat(status(kit).errorMessage()).isNull();
  }

  @Test
  void aPage_endsTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new WebPageController())
            .inParallel()
            .install(DEFINITION)
            .apply("it is created", page("Hello", true))
            .apply("it changes", page("Bye", true))
            .apply("it is withdrawn", page("Bye", false));

    ExplorationReport report = kit.explore(scenario);

    System.out.println("webpage: " + report.text());
    report.verify();
  }
}
