// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.run.TestServer;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Slots by namespace that go and come back, with watches that are selected by the server. */
class SlotAwayTest {

  private static final Pattern LAWS = Pattern.compile("^(missing|different|leaked): ConfigMap");

  /** A selector of no namespace that exists. */
  private static final String NOTHING =
      "shardRange(object.metadata.namespace, '0xcbf29ce484222325', '0xcbf29ce484222326')";

  /** Each original has a copy with the same data. */
  private static final ControllerDefinition COPIES =
      new ControllerDefinition() {
        @Override
        public String name() {
          return "copies";
        }

        @Override
        public Controller<?> create(ControllerEnvironment environment) {
          Kubernetes k8s = environment.get(Kubernetes.class);
          KindSource<V1ConfigMap> originals =
              k8s.kind(V1ConfigMap.class).labels("original=true").toSource();
          return Controller.named(name())
              .watches(originals)
              .reconciles((request, _) -> {
                Request copy = Request.of(request.namespace(), request.name() + "-copy");
                originals
                    .get(request)
                    .ifPresentOrElse(
                        original ->
                            k8s.resource(V1ConfigMap.class)
                                .createOrPatch(
                                    copy, V1ConfigMap::new, to -> to.setData(original.getData())),
                        () -> k8s.resource(V1ConfigMap.class).delete(copy));
                return Result.done();
              });
        }
      };

  private static String namespace(String name) {
    return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n---\n";
  }

  private static String original(String namespace, String value) {
    return """
    apiVersion: v1
    kind: ConfigMap
    metadata: {namespace: %s, name: settings, labels: {original: "true"}}
    data: {key: %s}
    """
        .formatted(namespace, value);
  }

  private static Scenario scenario() {
    return Scenario.of(COPIES)
        .apply("an original", original("default", "one"))
        .apply("one in a new namespace", namespace("east") + original("east", "one"))
        .apply("the first changes", original("default", "two"))
        .apply("the other changes", original("east", "two"))
        .then(
            "the first goes",
            k8s -> k8s.resource(V1ConfigMap.class).delete(Request.of("default", "settings")))
        .apply("the other changes again", original("east", "three"))
        .slotsByNamespace()
        .only(Kind.SLOT_AWAY);
  }

  /** Notes the selectors, and may have the server receive another one. */
  private static final class Selecting extends PerturbedPolicy {
    final Queue<String> asked;
    final boolean tooNarrow;

    Selecting(
        @Nullable Perturbation perturbation,
        Set<String> namespaces,
        Queue<String> asked,
        boolean tooNarrow) {
      super(perturbation, namespaces);
      this.asked = asked;
      this.tooNarrow = tooNarrow;
    }

    @Override
    public String selector(String selector) {
      asked.add(selector);
      return tooNarrow ? NOTHING : super.selector(selector);
    }
  }

  private static ExplorationReport explore(Queue<String> asked, boolean tooNarrow) {
    try (TestServer server = new TestServer()) {
      ExplorationReport report =
          new Explorer(
                  server,
                  scenario(),
                  (perturbation, namespaces) ->
                      new Selecting(perturbation, namespaces, asked, tooNarrow))
              .explore();
      System.out.println(asked.size() + " selectors, " + report.text());
      return report;
    }
  }

  @Test
  void whateverTheServerMakesOfSelectors_theEndIsTheSame() {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    ExplorationReport report = explore(asked, false);

    report.verify();
    assertThat(report.runs().get(Kind.SLOT_AWAY)).isGreaterThanOrEqualTo(6);
    assertThat(asked).hasSizeGreaterThan(2 * report.total());
    assertThat(Set.copyOf(asked)).as("selections of other slots").hasSizeGreaterThan(1);
  }

  /** Seeded fault. */
  @Test
  void aSelectionThatIsTooNarrow_isFoundInEachRun() {
    ExplorationReport report = explore(new ConcurrentLinkedQueue<>(), true);

    assertThat(report.failures()).isNotEmpty();
    assertThat(report.failures())
        .allSatisfy(
            failure -> assertThat(failure.violations()).anyMatch(one -> LAWS.matcher(one).find()));
  }
}
