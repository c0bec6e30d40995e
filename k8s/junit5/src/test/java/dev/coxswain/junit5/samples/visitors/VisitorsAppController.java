// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.visitors;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1EnvVarSource;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretKeySelector;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** A MySQL, a backend and a frontend for each {@link VisitorsApp}, one after the other. */
final class VisitorsAppController implements ControllerDefinition {

  private static final String BACKEND_IMAGE = "jdob/visitors-service:1.0.0";
  private static final String FRONTEND_IMAGE = "jdob/visitors-webui:1.0.0";

  private static final Dependant<VisitorsApp, V1Deployment> DATABASE =
      Dependant.<VisitorsApp, V1Deployment>of(V1Deployment.class, VisitorsAppController::database)
          .named(app -> name(app, "mysql"))
          .as("Database")
          .readyWhen(VisitorsAppController::isReady);

  private static final Dependant<VisitorsApp, V1Service> DATABASE_SERVICE =
      Dependant.<VisitorsApp, V1Service>of(
              V1Service.class,
              app -> service(app, "mysql", 3306).map(VisitorsAppController::headless))
          .named(app -> name(app, "mysql"))
          .as("DatabaseService");

  private static final Dependant<VisitorsApp, V1Deployment> BACKEND =
      Dependant.<VisitorsApp, V1Deployment>of(V1Deployment.class, VisitorsAppController::backend)
          .named(app -> name(app, "backend"))
          .as("Backend")
          .readyWhen(VisitorsAppController::isReady)
          .after(DATABASE, DATABASE_SERVICE);

  private static final Dependant<VisitorsApp, V1Service> BACKEND_SERVICE =
      Dependant.<VisitorsApp, V1Service>of(V1Service.class, app -> service(app, "backend", 8000))
          .named(app -> name(app, "backend"))
          .as("BackendService");

  private static final Dependant<VisitorsApp, V1Deployment> FRONTEND =
      Dependant.<VisitorsApp, V1Deployment>of(V1Deployment.class, VisitorsAppController::frontend)
          .named(app -> name(app, "frontend"))
          .as("Frontend")
          .readyWhen(VisitorsAppController::isReady)
          .after(BACKEND, BACKEND_SERVICE);

  private static final Dependant<VisitorsApp, V1Service> FRONTEND_SERVICE =
      Dependant.<VisitorsApp, V1Service>of(V1Service.class, app -> service(app, "frontend", 3000))
          .named(app -> name(app, "frontend"))
          .as("FrontendService");

  @Override
  public String name() {
    return "visitorsapp";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder =
        k8s.controller(name()).forKind(VisitorsApp.class).owns(V1Secret.class);
    Dependants<VisitorsApp> dependants =
        Dependants.of(
            builder,
            VisitorsApp.class,
            DATABASE,
            DATABASE_SERVICE,
            BACKEND,
            BACKEND_SERVICE,
            FRONTEND,
            FRONTEND_SERVICE);
    KindSource<VisitorsApp> cache = builder.source(VisitorsApp.class);
    Resource<VisitorsApp> apps = k8s.resource(VisitorsApp.class);
    Resource<V1Secret> secrets = k8s.resource(V1Secret.class);
    FinalizerRegistry<VisitorsApp> finalizers =
        new FinalizerRegistry<>(apps).registerSteps("example.com/dependants", dependants::delete);
    return builder.reconciles((request, _) -> {
      Optional<VisitorsApp> found = cache.get(request);
      if (found.isEmpty()) {
        return Result.done();
      }
      Optional<VisitorsApp> live = finalizers.handle(found.get());
      if (live.isPresent()) {
        VisitorsApp app = live.get();
        secrets.createOrPatch(
            new Request(request.namespace(), name(app, "mysql")),
            V1Secret::new,
            secret -> {
              OwnerReferences.setController(apps.type(), app, secret);
              fill(secret);
            });
        AppliedDependants applied = dependants.apply(app);
        List<V1Condition> conditions =
            StatusConditions.with(
                StatusConditions.with(app.conditions(), applied.conditions(), environment.clock()),
                applied.condition("Ready"),
                environment.clock());
        apps.modifyStatus(
            request,
            now ->
                now.setStatus(new VisitorsApp.Status(BACKEND_IMAGE, FRONTEND_IMAGE, conditions)));
      }
      return Result.done();
    });
  }

  /** Once for each database, which keeps the password that it has been made with. */
  private static void fill(V1Secret secret) {
    if (!Objects.requireNonNullElse(secret.getData(), Map.of()).containsKey("password")) {
      secret
          .putStringDataItem("username", "visitors-user")
          .putStringDataItem("password", UUID.randomUUID().toString());
    }
  }

  private static Optional<V1Deployment> database(VisitorsApp app) {
    V1Container mysql =
        container("visitors-mysql", "mysql:5.7", 3306)
            .addEnvItem(new V1EnvVar().name("MYSQL_DATABASE").value("visitors"))
            .addEnvItem(new V1EnvVar().name("MYSQL_RANDOM_ROOT_PASSWORD").value("yes"))
            .addEnvItem(secret(app, "MYSQL_USER", "username"))
            .addEnvItem(secret(app, "MYSQL_PASSWORD", "password"));
    return deployment(app, "mysql", 1, mysql);
  }

  private static Optional<V1Deployment> backend(VisitorsApp app) {
    V1Container backend =
        container("visitors-service", BACKEND_IMAGE, 8000)
            .addEnvItem(new V1EnvVar().name("MYSQL_DATABASE").value("visitors"))
            .addEnvItem(new V1EnvVar().name("MYSQL_SERVICE_HOST").value(name(app, "mysql")))
            .addEnvItem(secret(app, "MYSQL_USERNAME", "username"))
            .addEnvItem(secret(app, "MYSQL_PASSWORD", "password"));
    return deployment(app, "backend", app.spec().size(), backend);
  }

  private static Optional<V1Deployment> frontend(VisitorsApp app) {
    V1Container frontend = container("visitors-webui", FRONTEND_IMAGE, 3000);
    String title = app.spec().title();
    if (title != null) {
      frontend.addEnvItem(new V1EnvVar().name("REACT_APP_TITLE").value(title));
    }
    return deployment(app, "frontend", 1, frontend);
  }

  private static V1Container container(String name, String image, int port) {
    return new V1Container()
        .name(name)
        .image(image)
        .addPortsItem(new V1ContainerPort().containerPort(port));
  }

  private static V1EnvVar secret(VisitorsApp app, String variable, String key) {
    return new V1EnvVar()
        .name(variable)
        .valueFrom(
            new V1EnvVarSource()
                .secretKeyRef(new V1SecretKeySelector().name(name(app, "mysql")).key(key)));
  }

  private static Optional<V1Deployment> deployment(
      VisitorsApp app, String tier, int size, V1Container container) {
    return Optional.of(
        new V1Deployment()
            .spec(
                new V1DeploymentSpec()
                    .replicas(size)
                    .selector(new V1LabelSelector().matchLabels(labels(app, tier)))
                    .template(
                        new V1PodTemplateSpec()
                            .metadata(new V1ObjectMeta().labels(labels(app, tier)))
                            .spec(new V1PodSpec().addContainersItem(container)))));
  }

  private static Optional<V1Service> service(VisitorsApp app, String tier, int port) {
    return Optional.of(
        new V1Service()
            .spec(
                new V1ServiceSpec()
                    .type("NodePort")
                    .selector(labels(app, tier))
                    .addPortsItem(
                        new V1ServicePort().port(port).targetPort(new IntOrString(port)))));
  }

  private static V1Service headless(V1Service service) {
    Objects.requireNonNull(service.getSpec()).type("ClusterIP").clusterIP("None");
    return service;
  }

  private static boolean isReady(V1Deployment deployment) {
    V1DeploymentStatus status = deployment.getStatus();
    return status != null
        && Objects.equals(status.getObservedGeneration(), deployment.getMetadata().getGeneration())
        && Objects.equals(
            status.getReadyReplicas(), Objects.requireNonNull(deployment.getSpec()).getReplicas());
  }

  private static Map<String, String> labels(VisitorsApp app, String tier) {
    return Map.of("app", "visitors", "visitorssite_cr", app.getMetadata().getName(), "tier", tier);
  }

  private static String name(VisitorsApp app, String tier) {
    return app.getMetadata().getName() + "-" + tier;
  }
}
