// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A controller of sites with a database, its schema and an app, each after the ones before; without
 * replicas there is no database. They are deleted in reverse order.
 */
final class OrderedSites implements ControllerDefinition {

  /** What was seen after an attempt without what it needs, which it must never be. */
  private final Collection<String> orphans;

  OrderedSites(Collection<String> orphans) {
    this.orphans = orphans;
  }

  private static final Dependant<Site, V1Secret> PASSWORD =
      Dependant.<Site, V1Secret>of(
              V1Secret.class,
              _ -> Optional.of(new V1Secret().putDataItem("password", new byte[] {1})))
          .named(OrderedSites::database)
          .as("Password");

  private static final Dependant<Site, V1StatefulSet> DATABASE =
      Dependant.<Site, V1StatefulSet>of(V1StatefulSet.class, OrderedSites::statefulSet)
          .named(OrderedSites::database)
          .readyWhen(OrderedSites::isReady)
          .as("Database")
          .after(PASSWORD);

  private static final Dependant<Site, V1Service> SERVICE =
      Dependant.<Site, V1Service>of(V1Service.class, OrderedSites::service)
          .named(OrderedSites::database);

  private static final Dependant<Site, V1Job> SCHEMA =
      Dependant.<Site, V1Job>of(V1Job.class, OrderedSites::job)
          .named(site -> name(site) + "-schema")
          .readyWhen(OrderedSites::isComplete)
          .as("Schema")
          .after(DATABASE, SERVICE);

  private static final Dependant<Site, V1Deployment> APP =
      Dependant.<Site, V1Deployment>of(V1Deployment.class, OrderedSites::deployment)
          .as("App")
          .after(SCHEMA);

  @Override
  public String name() {
    return "ordered";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder = k8s.controller(name()).forKind(Site.class);
    Dependants<Site> dependants =
        Dependants.of(builder, Site.class, PASSWORD, DATABASE, SERVICE, SCHEMA, APP);
    KindSource<Site> cache = builder.source(Site.class);
    Resource<Site> sites = k8s.resource(Site.class);
    FinalizerRegistry<Site> finalizers =
        new FinalizerRegistry<>(sites)
            .registerSteps("test.coxswain.dev/dependants", dependants::delete);
    return builder.reconciles((request, _) -> {
      Optional<Site> site = cache.get(request);
      Optional<Site> live = site.isPresent() ? finalizers.handle(site.get()) : site;
      if (live.isPresent()) {
        report(request, sites, dependants.apply(live.get()));
      }
      witness(k8s, request);
      return Result.done();
    });
  }

  /** Reads what is needed first: it may not be absent while another one, read later, is there. */
  private void witness(Kubernetes k8s, Request site) {
    Request database = new Request(site.namespace(), site.name() + "-db");
    Request schema = new Request(site.namespace(), site.name() + "-schema");
    boolean sets = k8s.resource(V1StatefulSet.class).get(database).isPresent();
    boolean services = k8s.resource(V1Service.class).get(database).isPresent();
    boolean jobs = k8s.resource(V1Job.class).get(schema).isPresent();
    boolean apps = k8s.resource(V1Deployment.class).get(site).isPresent();
    if ((jobs && !(sets && services)) || (apps && !jobs)) {
      orphans.add("sets " + sets + ", services " + services + ", jobs " + jobs + ", apps " + apps);
    }
  }

  private static void report(Request request, Resource<Site> sites, AppliedDependants applied) {
    String conditions =
        applied.conditions().stream()
            .map(one -> one.getType() + " " + one.getReason() + " " + one.getMessage())
            .map(String::strip)
            .collect(Collectors.joining("\n"));
    String ready = String.valueOf(applied.condition("Ready").getStatus());
    sites.modifyStatus(request, now -> now.setStatus(new Site.Status(conditions, ready)));
  }

  private static String name(Site site) {
    return Objects.requireNonNull(site.getMetadata().getName());
  }

  private static String database(Site site) {
    return name(site) + "-db";
  }

  private static boolean isReady(V1StatefulSet set) {
    return set.getStatus() != null && Objects.equals(set.getStatus().getReadyReplicas(), 1);
  }

  private static boolean isComplete(V1Job job) {
    return job.getStatus() != null && Objects.equals(job.getStatus().getSucceeded(), 1);
  }

  private static Optional<V1StatefulSet> statefulSet(Site site) {
    return site.spec().replicas() == 0
        ? Optional.empty()
        : Optional.of(
            new V1StatefulSet()
                .spec(
                    new V1StatefulSetSpec()
                        .serviceName(database(site))
                        .selector(selector("db"))
                        .template(pod("db", "Always"))));
  }

  private static Optional<V1Service> service(Site site) {
    return Optional.of(
        new V1Service()
            .spec(
                new V1ServiceSpec()
                    .selector(Map.of("app", "db"))
                    .addPortsItem(new V1ServicePort().port(5432))));
  }

  private static Optional<V1Job> job(Site site) {
    return Optional.of(new V1Job().spec(new V1JobSpec().template(pod("schema", "Never"))));
  }

  private static Optional<V1Deployment> deployment(Site site) {
    return Optional.of(
        new V1Deployment()
            .spec(
                new V1DeploymentSpec()
                    .replicas(site.spec().replicas())
                    .selector(selector("web"))
                    .template(pod("web", "Always"))));
  }

  private static V1LabelSelector selector(String app) {
    return new V1LabelSelector().matchLabels(Map.of("app", app));
  }

  private static V1PodTemplateSpec pod(String app, String restarts) {
    return new V1PodTemplateSpec()
        .metadata(new V1ObjectMeta().labels(Map.of("app", app)))
        .spec(
            new V1PodSpec()
                .restartPolicy(restarts)
                .addContainersItem(new V1Container().name(app).image(app)));
  }
}
