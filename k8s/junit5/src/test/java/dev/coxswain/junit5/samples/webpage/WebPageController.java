// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.webpage;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapVolumeSource;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1HTTPIngressPath;
import io.kubernetes.client.openapi.models.V1HTTPIngressRuleValue;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1IngressBackend;
import io.kubernetes.client.openapi.models.V1IngressRule;
import io.kubernetes.client.openapi.models.V1IngressServiceBackend;
import io.kubernetes.client.openapi.models.V1IngressSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceBackendPort;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** An NGINX that serves each {@link WebPage}, with an Ingress if it is exposed. */
final class WebPageController implements ControllerDefinition {

  private static final Dependant<WebPage, V1ConfigMap> HTML =
      Dependant.<WebPage, V1ConfigMap>of(V1ConfigMap.class, WebPageController::html)
          .named(WebPageController::htmlName);

  private static final Dependant<WebPage, V1Deployment> SERVER =
      Dependant.of(V1Deployment.class, WebPageController::server);

  private static final Dependant<WebPage, V1Service> SERVICE =
      Dependant.of(V1Service.class, WebPageController::service);

  private static final Dependant<WebPage, V1Ingress> INGRESS =
      Dependant.of(V1Ingress.class, WebPageController::ingress);

  @Override
  public String name() {
    return "webpage";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder = k8s.controller(name()).forKind(WebPage.class);
    Dependants<WebPage> dependants =
        Dependants.of(builder, WebPage.class, HTML, SERVER, SERVICE, INGRESS);
    KindSource<WebPage> cache = builder.source(WebPage.class);
    Resource<WebPage> pages = k8s.resource(WebPage.class);
    return builder.reconciles((request, _) -> {
      Optional<WebPage> found = cache.get(request);
      if (found.isPresent()) {
        WebPage page = found.get();
        if (page.spec().html().contains("error")) { // for demonstrations
          String before = page.status().htmlConfigMap();
          pages.modifyStatus(
              request, now -> now.setStatus(new WebPage.Status(before, false, "simulated")));
          throw new IllegalStateException("simulated");
        }
        dependants.apply(page);
        pages.modifyStatus(
            request, now -> now.setStatus(new WebPage.Status(htmlName(page), true, null)));
      }
      return Result.done();
    });
  }

  private static Optional<V1ConfigMap> html(WebPage page) {
    return Optional.of(new V1ConfigMap().data(Map.of("index.html", page.spec().html())));
  }

  private static Optional<V1Deployment> server(WebPage page) {
    V1Container nginx =
        new V1Container()
            .name("nginx")
            .image("nginx:1.27")
            .addPortsItem(new V1ContainerPort().containerPort(80))
            .addVolumeMountsItem(
                new V1VolumeMount().name("html").mountPath("/usr/share/nginx/html"));
    V1PodSpec pod =
        new V1PodSpec()
            .addContainersItem(nginx)
            .addVolumesItem(
                new V1Volume()
                    .name("html")
                    .configMap(new V1ConfigMapVolumeSource().name(htmlName(page))));
    // New pods for a new page: the volume alone would change after a minute.
    Map<String, String> version =
        Map.of("html-version", Integer.toHexString(page.spec().html().hashCode()));
    return Optional.of(
        new V1Deployment()
            .spec(
                new V1DeploymentSpec()
                    .replicas(1)
                    .selector(new V1LabelSelector().matchLabels(labels(page)))
                    .template(
                        new V1PodTemplateSpec()
                            .metadata(new V1ObjectMeta().labels(labels(page)).annotations(version))
                            .spec(pod))));
  }

  private static Optional<V1Service> service(WebPage page) {
    return Optional.of(
        new V1Service()
            .spec(
                new V1ServiceSpec()
                    .type("NodePort")
                    .selector(labels(page))
                    .addPortsItem(new V1ServicePort().port(80).targetPort(new IntOrString(80)))));
  }

  private static Optional<V1Ingress> ingress(WebPage page) {
    if (!page.spec().exposed()) {
      return Optional.empty();
    }
    V1IngressBackend backend =
        new V1IngressBackend()
            .service(
                new V1IngressServiceBackend()
                    .name(name(page))
                    .port(new V1ServiceBackendPort().number(80)));
    V1HTTPIngressPath path = new V1HTTPIngressPath().path("/").pathType("Prefix").backend(backend);
    return Optional.of(
        new V1Ingress()
            .spec(
                new V1IngressSpec()
                    .addRulesItem(
                        new V1IngressRule()
                            .http(new V1HTTPIngressRuleValue().addPathsItem(path)))));
  }

  private static Map<String, String> labels(WebPage page) {
    return Map.of("app", name(page));
  }

  private static String name(WebPage page) {
    return Objects.requireNonNull(page.getMetadata().getName());
  }

  private static String htmlName(WebPage page) {
    return name(page) + "-html";
  }
}
