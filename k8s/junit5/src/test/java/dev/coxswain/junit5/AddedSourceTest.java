// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A controller of this kit watches the kind that its object names, as soon as it names one. */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class AddedSourceTest {

  private static final Request COUNT = Request.of("default", "count");

  private static final EventHandler<Unstructured> COUNTED =
      Handlers.mapByMetadata(metadata ->
          metadata.getLabels() != null && metadata.getLabels().containsKey("counted")
              ? List.of(COUNT)
              : List.of());

  /** Writes into a ConfigMap how many labelled objects there are of the kind that it names. */
  private static final class Counter implements ControllerDefinition {
    @Override
    public String name() {
      return "counter";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
      ControllerBuilder builder =
          k8s.controller(name()).forKind(k8s.kind(V1ConfigMap.class).labels("counter=yes"));
      SourceRegistry<Request> registry = builder.sourceRegistry();
      return builder.reconciles((request, context) -> {
        Map<String, String> data =
            maps.get(request).map(V1ConfigMap::getData).map(Map::copyOf).orElse(Map.of());
        for (String name : registry.names()) {
          if (!name.equals(data.get("plural"))) {
            registry.remove(name);
          }
        }
        String plural = data.get("plural");
        if (plural == null) {
          return Result.done();
        }
        Future<KindSource<Unstructured>> objects =
            registry.add(
                plural,
                () ->
                    k8s.kind(
                            ResourceType.unstructured(
                                data.getOrDefault("group", ""),
                                "v1",
                                plural,
                                data.getOrDefault("kind", ""),
                                true))
                        .labels("counted")
                        .handledBy(COUNTED)
                        .toSource());
        if (!objects.isComplete()) {
          return Result.requeueAfter(Duration.ofMillis(100)); // there may be nothing to deliver
        }
        if (objects.failed()) {
          throw new IllegalStateException(objects.cause());
        }
        String count = String.valueOf(objects.result().owned().keys().size());
        if (!count.equals(data.get("count"))) {
          maps.modify(request, map -> map.putDataItem("count", count));
        }
        return Result.done();
      });
    }
  }

  private static String counter(String plural, String kind) {
    return """
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: count, namespace: default, labels: {counter: "yes"}}
    data: {plural: %s, kind: %s}
    """
        .formatted(plural, kind);
  }

  private static String object(String kind, String name) {
    return """
    apiVersion: v1
    kind: %s
    metadata: {name: %s, namespace: default, labels: {counted: "yes"}}
    """
        .formatted(kind, name);
  }

  private static Optional<String> count(CoxswainTest kit) {
    return kit.client()
        .resource(V1ConfigMap.class)
        .get(COUNT)
        .map(V1ConfigMap::getData)
        .map(data -> data.get("count"));
  }

  private static List<String> added(CoxswainTest kit) {
    return kit.controller("counter").status().sources().stream()
        .map(SourceStatus::addedAs)
        .filter(Objects::nonNull)
        .toList();
  }

  private static void counted(CoxswainTest kit) {
    kit.run(new Counter());
    kit.apply(object("Secret", "a"));
    kit.apply(counter("secrets", "Secret"));
    kit.advance(Duration.ofSeconds(1));
  }

  @Test
  void eventsOfTheAddedKind_areReconciled(CoxswainTest kit) {
    counted(kit);
    assertThat(count(kit)).contains("1");
    assertThat(added(kit)).containsExactly("secrets");

    kit.apply(object("Secret", "b"));
    kit.settle();
    assertThat(count(kit)).as("by an event, without time passing").contains("2");
  }

  @Test
  void anotherKind_replacesIt(CoxswainTest kit) {
    counted(kit);
    kit.apply(counter("services", "Service"));
    kit.advance(Duration.ofSeconds(1));
    assertThat(count(kit)).contains("0");
    assertThat(added(kit)).containsExactly("services");
    int attempts = attempts(kit);
    kit.apply(object("Secret", "c"));
    kit.settle();
    assertThat(attempts(kit)).as("it is not watched any more").isEqualTo(attempts);
  }

  private static int attempts(CoxswainTest kit) {
    return (int) kit.timeline().lines().filter(line -> line.contains("attempt ")).count();
  }

  @Test
  void kindThatIsNotInstalled_isShown_andHoldsNothingUp(CoxswainTest kit) {
    kit.run(new Counter());
    kit.apply(counter("ghosts", "Ghost").replace("data: {", "data: {group: none.example.com, "));
    kit.advance(Duration.ofSeconds(1));
    SourceStatus shown = kit.controller("counter").status().sources().getLast();
    assertThat(shown.addedAs()).isEqualTo("ghosts");
    assertThat(shown.synced()).isFalse();
    assertThat(shown.problem()).contains("ghosts");
    kit.apply(counter("secrets", "Secret"));
    kit.advance(Duration.ofSeconds(1));
    assertThat(count(kit)).contains("0");
  }

  @Test
  void afterACrashAndAHandOver_theNextProcessAddsItAgain(CoxswainTest kit) {
    counted(kit);
    kit.crash();
    kit.advance(Duration.ofSeconds(1));
    kit.apply(object("Secret", "b"));
    kit.settle();
    assertThat(count(kit)).contains("2");

    kit.handOver();
    kit.advance(Duration.ofSeconds(1));
    kit.apply(object("Secret", "c"));
    kit.settle();
    assertThat(count(kit)).contains("3");
    assertThat(added(kit)).containsExactly("secrets");
  }

  @Test
  void whateverFails_theCountIsRight(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new Counter())
            .inParallel()
            .apply("there is an object", object("Secret", "a"))
            .apply("its kind is counted", counter("secrets", "Secret"))
            .apply("there is another object", object("Secret", "b"));

    ExplorationReport report = kit.explore(scenario);

    System.out.println("added source: " + report.text());
    report.verify();
  }
}
