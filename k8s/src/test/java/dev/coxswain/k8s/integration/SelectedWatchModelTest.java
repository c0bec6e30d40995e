// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static dev.coxswain.k8s.integration.NamespacedReplica.SLOTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.internal.selection.ShardRanges;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random changes of objects, namespaces and slots, with watches that end, lag or find their version too old, against a server that
 * selects, ignores the selector, or does either. When all is quiet the cache holds the objects of the kept slots as they
 * are on the server.
 */
class SelectedWatchModelTest {

  private static final int STEPS = 60;
  private static final int NAMES = 16;
  private static final Duration NOT_EQUAL = Duration.ofSeconds(5);

  /** What the server does with a selector. */
  private enum Server {
    SELECTS(one -> one),
    IGNORES(_ -> ""),
    CHANGES(
        new UnaryOperator<>() {
          private int calls;

          @Override
          public synchronized String apply(String one) {
            return calls++ % 2 == 0 ? one : "";
          }
        }),
    /** Sends one range too few: a seeded fault. */
    SELECTS_TOO_LITTLE(one -> one.contains(" || ") ? one.substring(one.indexOf(" || ") + 4) : one);

    final UnaryOperator<String> receives;

    Server(UnaryOperator<String> receives) {
      this.receives = receives;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SELECTS", "IGNORES", "CHANGES"})
  void whenAllIsQuiet_theCacheHoldsTheKeptSlots(Server server) {
    try (Run run = new Run(server)) {
      for (int i = 0; i < TestLength.of(2, 60); i++) {
        run.play();
        Await.until(run::difference, run::isEqual);
      }
    }
  }

  /** The long suite has 50,000: ranges and what waits are bounded, and nothing of them is left. */
  @Test
  void manyNamespacesThatComeAndGo_leaveNothing() {
    try (Run run = new Run(Server.SELECTS)) {
      for (int i = NAMES; i < TestLength.of(1_000, 50_000); i++) {
        run.come("team-" + i);
        if (i % 3 != 0) {
          run.go("team-" + (i - i * 7 % NAMES));
        }
      }
      List.copyOf(run.namespaces).subList(NAMES, run.namespaces.size()).forEach(run::go);
      run.touchAll();
      Await.until(run::difference, run::isEqual);
      assertThat(NamespacedReplica.watched(run.source).ranges())
          .isLessThanOrEqualTo(ShardRanges.MOST);
      Await.until("nothing that waits", () -> !run.source.position().isEmpty());
      Await.until(
          "a selection of what is left",
          () -> NamespacedReplica.watched(run.source).namespaces() <= NAMES);
      assertThat(NamespacedReplica.watched(run.source).selection())
          .isEqualTo(CacheStatus.Selection.SERVER);
    }
  }

  /** Seeded fault: the law sees a selection that is too narrow. */
  @Test
  void aSelectionThatIsTooNarrow_isFound() {
    try (Run run = new Run(Server.SELECTS_TOO_LITTLE)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 20; i++) {
                  run.play();
                  Await.until("equality", NOT_EQUAL, run::isEqual);
                }
              })
          .hasMessageContaining("equality");
    }
  }

  private static final class Run implements AutoCloseable {
    final long seed = Long.getLong("coxswain.seed", System.nanoTime());
    final SplittableRandom random = new SplittableRandom(seed);
    final NamespacedReplica with = new NamespacedReplica(true);
    final TreeSet<String> namespaces = new TreeSet<>();
    final TreeSet<Integer> kept = new TreeSet<>(List.of(1));
    final KindSource<V1ConfigMap> source;
    int values;

    Run(Server server) {
      System.out.println("seed " + seed);
      with.selector = server.receives;
      IntStream.range(0, NamespacedReplica.NAMESPACES).forEach(i -> namespaces.add("team-" + i));
      source = with.start(1);
    }

    void play() {
      for (int i = 0; i < STEPS; i++) {
        step();
      }
      with.server.faults().reset();
      with.server.faults().closeWatches();
      touchAll();
    }

    /** Each watch has to bring something. */
    void touchAll() {
      namespaces.forEach(name -> with.put(name, "last", "v" + values++));
    }

    private void step() {
      switch (random.nextInt(16)) {
        case 0 -> makeNamespace();
        case 1 -> deleteNamespace();
        case 2 -> keep();
        case 3 -> release();
        case 4 -> fault(Fault.closeWatches(), "configmaps");
        case 5 -> fault(Fault.silenceWatches(), "configmaps");
        case 6 -> fault(Fault.silenceWatches(), "namespaces");
        case 7 -> {
          with.server.faults().reset();
          with.server.faults().closeWatches();
        }
        case 8 -> {
          if (random.nextInt(4) == 0) {
            with.server.faults().compactHistory();
          }
        }
        case 9, 10 -> with.user.resource(V1ConfigMap.class).delete(object());
        default -> {
          Request object = object();
          with.put(object.namespace(), object.name(), "v" + values++);
        }
      }
    }

    private void fault(Fault fault, String resource) {
      with.server.faults().inject(fault.on(FaultFilter.resources(resource)));
    }

    private Request object() {
      List<String> all = List.copyOf(namespaces);
      return Request.of(all.get(random.nextInt(all.size())), "x" + random.nextInt(4));
    }

    private void makeNamespace() {
      come("team-" + random.nextInt(NAMES));
    }

    void come(String name) {
      if (namespaces.add(name)) {
        with.namespace(name);
        with.put(name, "first", "v" + values++);
      }
    }

    private void deleteNamespace() {
      go("team-" + random.nextInt(NAMES));
    }

    void go(String name) {
      if (namespaces.size() > 2 && namespaces.remove(name)) {
        with.user.resource(V1Namespace.class).delete(Request.of(name));
        Await.until(
            "the end of " + name,
            () -> with.user.resource(V1Namespace.class).get(Request.of(name)).isEmpty());
      }
    }

    private void keep() {
      int slot = random.nextInt(SLOTS);
      if (kept.add(slot)) {
        with.slots.keep(List.of(slot));
      }
    }

    private void release() {
      int slot = random.nextInt(SLOTS);
      if (kept.size() > 1 && kept.remove(slot)) {
        with.slots.release(List.of(slot));
      }
    }

    private Map<Request, String> onServer() {
      Map<Request, String> all = new TreeMap<>(java.util.Comparator.comparing(Request::toString));
      for (V1ConfigMap map : with.user.resource(V1ConfigMap.class).list(ListOptions.ALL)) {
        Request key = Request.of(map.getMetadata().getNamespace(), map.getMetadata().getName());
        if (with.slots.isKept(key.namespace(), key.name())) {
          all.put(key, ConfigMaps.value(map));
        }
      }
      return all;
    }

    private Map<Request, String> inCache() {
      Map<Request, String> all = new TreeMap<>(java.util.Comparator.comparing(Request::toString));
      for (Request key : source.owned().keys()) {
        source.owned().get(key).ifPresent(map -> all.put(key, ConfigMaps.value(map)));
      }
      return all;
    }

    boolean isEqual() {
      return inCache().equals(onServer());
    }

    String difference() {
      Map<Request, String> cache = inCache();
      Map<Request, String> server = onServer();
      List<String> text = new ArrayList<>();
      TreeSet<Request> all = new TreeSet<>(java.util.Comparator.comparing(Request::toString));
      all.addAll(cache.keySet());
      all.addAll(server.keySet());
      for (Request key : all) {
        if (!Objects.equals(cache.get(key), server.get(key))) {
          text.add(key + ": cache " + cache.get(key) + ", server " + server.get(key));
        }
      }
      return "equality, seed " + seed + ": slots " + kept + ", " + source.statuses() + ", " + text;
    }

    @Override
    public void close() {
      with.close();
    }
  }
}
