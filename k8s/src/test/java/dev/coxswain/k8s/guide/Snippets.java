// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import com.google.gson.JsonObject;
import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.Expectations;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourcePage;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.resource.ResourceWatch;
import dev.coxswain.k8s.resource.WriteOptions.FieldValidation;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.EventPredicate;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

final class Snippets {

  static EventPredicate<V1Pod> predicate() {
    EventPredicate<V1Pod> onlyEnds =
        Predicates.<V1Pod>onCreate(pod -> false)
            .and(Predicates.onUpdate((before, now) -> isOver(now) && !isOver(before)));
    return onlyEnds;
  }

  private static boolean isOver(V1Pod pod) {
    return pod.getStatus() != null && "Succeeded".equals(pod.getStatus().getPhase());
  }

  static EventHandler<V1Pod> handler() {
    EventHandler<V1Pod> handler =
        Handlers.both(
            Handlers.onDelete(Handlers.withPriority(50, Handlers.owner(Website.class))),
            Handlers.onUpdate(
                Handlers.after(Duration.ofSeconds(2), Handlers.owner(Website.class))));
    return handler;
  }

  static void writes(Resource<V1Deployment> deployments, Request request, JsonObject patch) {
    deployments.strategicPatch(request, patch);
    deployments.scaleTo(request, 3);
    deployments.dryRun().patch(request, patch);
    deployments
        .with(o -> o.withFieldValidation(FieldValidation.STRICT).withFieldManager("website"))
        .patch(request, patch);
  }

  static void deletions(Resource<V1Pod> pods, Request request) {
    ListOptions selection = ListOptions.ALL.inNamespace("shop").labels("app=web");
    pods.evict(request, DeleteOptions.BACKGROUND); // 429 while a disruption budget forbids it
    pods.deleteAll(selection, DeleteOptions.BACKGROUND);
  }

  static int reads(Resource<V1Pod> pods) {
    int running = 0;
    String next = "";
    do {
      ResourcePage<V1Pod> page = pods.page(ListOptions.ALL, 500, next);
      running += page.items().size();
      next = page.next();
    } while (!next.isEmpty());
    return running;
  }

  static KindSource<PartialObjectMetadata> metadata(Kubernetes k8s) {
    KindSource<PartialObjectMetadata> secrets =
        k8s.kind(ResourceType.of(V1Secret.class).metadataOnly()).labels("shop=web").toSource();
    return secrets;
  }

  static void waitForEnd(Resource<V1Pod> pods, Request request) {
    ListOptions one =
        ListOptions.ALL.inNamespace(request.namespace()).fields("metadata.name=" + request.name());
    try (ResourceWatch<V1Pod> watch = pods.watch(one, "")) {
      while (!watch.next().map(event -> isOver(event.object())).orElse(true)) {
        // the next change
      }
    }
  }

  static void tree(Resource<Unstructured> trees, Request request, JsonObject spec) {
    trees.createOrPatchJson(request, tree -> tree.add("spec", spec));
  }

  static boolean expects(
      Expectations expectations, KindSource<V1Pod> pods, Resource<V1Pod> writes, Request request) {
    if (!expectations.areMet(request, pods)) {
      return false; // the events of the own writes are on their way
    }
    V1Pod created = writes.create(new V1Pod());
    expectations.written(request, created);
    return true;
  }

  private static final Dependant<Website, V1ConfigMap> PAGE =
      Dependant.<Website, V1ConfigMap>of(
              V1ConfigMap.class,
              site -> Optional.of(new V1ConfigMap().data(Map.of("index.html", title(site)))))
          .named(site -> site.getMetadata().getName() + "-page");

  private static final Dependant<Website, V1Secret> TOKEN =
      Dependant.<Website, V1Secret>of(V1Secret.class, Snippets::token)
          .readyWhen(secret -> secret.getData() != null);

  private static String title(Website site) {
    return Objects.requireNonNull(site.spec).title();
  }

  private static Optional<V1Secret> token(Website site) {
    String name = Objects.requireNonNull(site.spec).secret();
    return name == null
        ? Optional.empty()
        : Optional.of(new V1Secret().putDataItem("token", new byte[] {1, 2, 3}));
  }

  static Controller<Request> declared(Kubernetes k8s) {
    ControllerBuilder builder = k8s.controller("website").forKind(Website.class);
    Dependants<Website> dependants = Dependants.of(builder, Website.class, PAGE, TOKEN);
    KindSource<Website> cache = builder.source(Website.class);
    return builder.reconciles((request, context) -> {
      cache.get(request).ifPresent(site -> report(request, dependants.apply(site)));
      return Result.done();
    });
  }

  private static void report(Request request, AppliedDependants applied) {
    V1Condition ready = applied.condition("Ready"); // True, or False with the names of the others
    Optional<V1ConfigMap> page = applied.get(PAGE); // as stored, with its status
    reports.put(request, ready.getStatus() + " " + page.isPresent());
  }

  static final Map<Request, String> reports = new java.util.concurrent.ConcurrentHashMap<>();

  private Snippets() {}

  private static final EventHandler<Unstructured> POLICY_OF =
      Handlers.mapByMetadata(Snippets::policyOf);

  private static List<Request> policyOf(V1ObjectMeta metadata) {
    Map<String, String> labels = Objects.requireNonNullElse(metadata.getLabels(), Map.of());
    String policy = labels.get("policy");
    return policy == null
        ? List.of()
        : List.of(Request.of(Objects.requireNonNull(metadata.getNamespace()), policy));
  }

  static Controller<Request> policies(Kubernetes k8s) {
    ControllerBuilder builder =
        k8s.controller("policies").forKind(k8s.kind(V1ConfigMap.class).labels("policy=yes"));
    KindSource<V1ConfigMap> policies = builder.source(V1ConfigMap.class);
    SourceRegistry<Request> registry = builder.sourceRegistry();
    return builder.reconciles((request, context) -> {
      Optional<ResourceType<Unstructured>> kind = policies.get(request).flatMap(Snippets::kindOf);
      if (kind.isEmpty()) {
        return Result.done();
      }
      Future<KindSource<Unstructured>> objects =
          registry.add(
              kind.get().plural(), // the name
              () -> k8s.kind(kind.get()).labels("policy").handledBy(POLICY_OF).toSource());
      if (objects.failed()) {
        throw new IllegalStateException(objects.cause());
      } else if (!objects.isComplete()) {
        return Result.requeueAfter(Duration.ofSeconds(1)); // its objects are still being listed
      }
      enforce(request, objects.result().owned().list());
      return Result.done();
    });
  }

  private static Optional<ResourceType<Unstructured>> kindOf(V1ConfigMap policy) {
    Map<String, String> data = policy.getData();
    return data == null
        ? Optional.empty()
        : Optional.of(
            ResourceType.unstructured(
                data.getOrDefault("group", ""),
                "v1",
                data.getOrDefault("plural", ""),
                data.getOrDefault("kind", ""),
                true));
  }

  static final Map<Request, Integer> enforced = new ConcurrentHashMap<>();

  private static void enforce(Request policy, List<Unstructured> objects) {
    enforced.put(policy, objects.size());
  }
}
