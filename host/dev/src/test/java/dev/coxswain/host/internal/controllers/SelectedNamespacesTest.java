// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Namespaces are in force by their labels, and their changes at a bounded rate. */
class SelectedNamespacesTest {

  private static final Duration SETTLE = Duration.ofMillis(50);

  /** A change in force and the time of it. */
  private record Change(Optional<Set<String>> inForce, long nanos) {}

  private final Vertx vertx = Vertx.vertx();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1Namespace> namespaces = k8s.resource(V1Namespace.class);
  private final List<Change> changes = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable String> problem = new AtomicReference<>();
  private @Nullable SelectedNamespaces selected;

  @AfterEach
  void stop() {
    if (selected != null) {
      Await.get(selected.stop());
    }
    k8s.close();
    Await.get(vertx.close());
    server.close();
  }

  private SelectedNamespaces start(String selector, Duration pause) {
    SelectedNamespaces started =
        new SelectedNamespaces(
            vertx,
            k8s,
            selector,
            problem::set,
            () -> changes.add(new Change(inForce(), System.nanoTime())),
            Clock.system(),
            new SelectedNamespaces.Pace(SETTLE, pause, SETTLE));
    selected = started;
    Await.get(started.start());
    return started;
  }

  private Optional<Set<String>> inForce() {
    return selected == null ? Optional.empty() : selected.inForce().apply("any");
  }

  private void create(String name, String team) {
    namespaces.create(
        new V1Namespace().metadata(new V1ObjectMeta().name(name).putLabelsItem("team", team)));
  }

  private void label(String name, String team) {
    namespaces.modify(Request.of(name), one -> one.getMetadata().putLabelsItem("team", team));
  }

  /** Also waits for the report, which comes after they are in force. */
  private void awaitInForce(String... names) {
    Optional<Set<String>> expected = Optional.of(Set.of(names));
    Await.until(
        () -> inForce() + ", reported " + changes,
        () -> inForce().equals(expected) && isReported(expected));
  }

  private boolean isReported(Optional<Set<String>> expected) {
    return !changes.isEmpty() && changes.getLast().inForce.equals(expected);
  }

  @Test
  void thoseWithTheLabels_areInForceFromTheStart_andFollowThem() {
    create("a", "shop");
    create("b", "blog");
    start("team=shop", Duration.ZERO);
    assertThat(inForce()).contains(Set.of("a"));

    label("b", "shop");
    awaitInForce("a", "b");
    label("a", "blog");
    awaitInForce("b");
    namespaces.delete(Request.of("b"));
    Await.until("none", () -> inForce().isEmpty());
    create("c", "shop");
    awaitInForce("c");
    assertThat(problem.get()).isNull();
  }

  @Test
  void withoutOne_nothingIsInForce_andNotEverything() {
    start("team=shop", Duration.ZERO);
    assertThat(inForce()).isEmpty();
  }

  @Test
  void manyChanges_areInForceTogether_atABoundedRate() {
    Duration pause = Duration.ofMillis(600);
    create("base", "shop");
    start("team=shop", pause);
    changes.clear();
    for (int i = 0; i < 8; i++) {
      create("n" + i, "shop");
      label("n" + i, i % 2 == 0 ? "blog" : "shop");
      Await.until("an event", () -> k8s.caches().stream().allMatch(cache -> cache.synced()));
    }
    awaitInForce("base", "n1", "n3", "n5", "n7");
    label("n1", "blog");
    awaitInForce("base", "n3", "n5", "n7");
    for (int i = 1; i < changes.size(); i++) {
      assertThat(changes.get(i).nanos - changes.get(i - 1).nanos)
          .isGreaterThan(pause.minusMillis(20).toNanos());
    }
    assertThat(changes).hasSizeBetween(2, 4);
  }

  @Test
  void aNamespaceThatIsDeletedAndMadeAgain_isNoChange() {
    create("a", "shop");
    create("b", "shop");
    start("team=shop", Duration.ofSeconds(5)); // longer than all that follows
    label("b", "blog"); // the next change waits from here on
    awaitInForce("a");
    changes.clear();
    namespaces.delete(Request.of("a"));
    Await.until("the end", () -> namespaces.get(Request.of("a")).isEmpty());
    create("a", "shop");
    create("c", "shop");
    awaitInForce("a", "c");
    assertThat(changes).hasSize(1);
  }

  @Test
  void moreThanCanBeWatched_leaveThoseBefore_andAreShown() {
    create("a", "shop");
    start("team=shop", Duration.ZERO);
    IntStream.range(0, 64).forEach(i -> create("n" + i, "shop"));
    Await.until(
        "the problem", () -> String.valueOf(problem.get()).contains("select 65 namespaces"));
    assertThat(inForce().orElseThrow()).contains("a").hasSizeLessThanOrEqualTo(64);
    namespaces.delete(Request.of("n0"));
    Await.until("64", () -> inForce().orElseThrow().size() == 64);
    Await.until("no problem", () -> problem.get() == null);
  }

  @Test
  void aNewSelector_leavesThoseBefore_untilItsOwnAreKnown() {
    create("a", "shop");
    create("b", "blog");
    SelectedNamespaces started = start("", Duration.ZERO);
    started.follow("team=shop", _ -> Optional.of(Set.of("list")));
    assertThat(inForce()).contains(Set.of("list"));
    awaitInForce("a");
    started.follow("team=blog", started.inForce());
    assertThat(inForce()).contains(Set.of("a"));
    awaitInForce("b");
  }

  @Test
  void aServerThatRefuses_isShown_untilItAnswers() {
    server.faults().failNext(1_000, 403, Duration.ZERO, uri -> uri.contains("/api/v1/namespaces"));
    start("team=shop", Duration.ZERO);
    Await.until(
        "the problem",
        () ->
            String.valueOf(problem.get())
                .contains(
                    "the namespaces with the labels \"team=shop\" (kubernetes.watchNamespaceSelector) have not been read"));
    assertThat(inForce()).isEmpty();
    server.faults().reset();
    create("a", "shop");
    awaitInForce("a");
    Await.until("no problem", () -> problem.get() == null);
  }

  /** Otherwise a label that is set later would have no effect, without a message. */
  @Test
  void aServerThatRefusesLater_isShown_andThoseBeforeStay() {
    create("a", "shop");
    start("team=shop", Duration.ZERO);
    awaitInForce("a");
    server.faults().failNext(1_000, 403, Duration.ZERO, uri -> uri.contains("/api/v1/namespaces"));
    server.faults().closeWatches();
    Await.until(
        "the problem", () -> String.valueOf(problem.get()).contains("may be others by now"));
    assertThat(inForce()).contains(Set.of("a"));
    server.faults().reset();
    Await.until("no problem", () -> problem.get() == null);
  }
}
