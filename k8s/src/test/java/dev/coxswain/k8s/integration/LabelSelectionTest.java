// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A source selects by labels what the API server's own list with that selector shows. */
class LabelSelectionTest {

  private static final int OBJECTS = 40;
  private static final int SELECTORS = 400;
  private static final List<String> KEYS = List.of("a", "b", "x.io/c", "in");
  private static final List<String> VALUES = List.of("", "1", "2", "x-y", "notin");
  private static final List<String> PIECES =
      List.of(
          "a", "b", "in", "notin", "1", "=", "==", "!=", "!", ",", "(", ")", " ", "-", "x.io/c");

  private final long seed = Long.getLong("coxswain.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final KindSource<V1ConfigMap> source = k8s.kind(V1ConfigMap.class).toSource();

  @AfterEach
  void close() {
    Await.get(source.stop());
    k8s.close();
    server.close();
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private void create(int number) {
    Map<String, String> labels = new HashMap<>();
    for (String key : KEYS) {
      if (random.nextBoolean()) {
        labels.put(key, any(VALUES));
      }
    }
    V1ObjectMeta meta = new V1ObjectMeta().namespace("default").name("map-" + number);
    maps.create(
        new V1ConfigMap()
            .metadata(labels.isEmpty() ? meta : meta.labels(labels))
            .data(Map.of("labels", "{\"a\":\"1\"}")));
  }

  /** Mostly well formed, now and then any pieces in a row. */
  private String selector() {
    if (random.nextInt(4) == 0) {
      return random
          .ints(1 + random.nextInt(7), 0, PIECES.size())
          .mapToObj(PIECES::get)
          .collect(Collectors.joining());
    }
    List<String> parts = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String key = any(KEYS);
      String values =
          random
              .ints(random.nextInt(3), 0, VALUES.size())
              .mapToObj(VALUES::get)
              .collect(Collectors.joining(any(List.of(",", ", "))));
      parts.add(
          switch (random.nextInt(5)) {
            case 0 -> key;
            case 1 -> "!" + key;
            case 2 -> key + any(List.of("=", "==", "!=", " = ")) + any(VALUES);
            case 3 -> key + " in (" + values + ")";
            default -> key + " notin(" + values + ")";
          });
    }
    return String.join(",", parts);
  }

  /** Returns the names that the server lists, or empty when it refuses the selector. */
  private Optional<Set<String>> listed(String selector) {
    try {
      return Optional.of(
          maps.list(ListOptions.ALL.inNamespace("default").labels(selector)).stream()
              .map(map -> String.valueOf(ConfigMaps.meta(map).getName()))
              .collect(Collectors.toCollection(TreeSet::new)));
    } catch (ApiStatusException e) {
      assertThat(e.code()).as("%s, seed %d", selector, seed).isEqualTo(400);
      return Optional.empty();
    }
  }

  private Optional<Set<String>> selected(String selector, Set<Request> asked) {
    Predicate<Request> selects;
    try {
      selects = source.selecting(selector).orElseThrow();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.of(
        asked.stream()
            .filter(selects)
            .map(Request::name)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  @Test
  void whatIsSelected_isWhatTheServerLists_andWhatItRefusesIsRefused() {
    Set<Request> all = new HashSet<>();
    for (int i = 0; i < OBJECTS; i++) {
      create(i);
      all.add(Request.of("default", "map-" + i));
    }
    Await.get(source.start(new RecordingSink()));
    for (int i = 0; i < OBJECTS / 4; i++) {
      Request gone = Request.of("default", "map-" + random.nextInt(OBJECTS));
      maps.delete(gone);
      Await.until("the deletion", () -> !source.contains(gone));
    }
    int refused = 0;
    int shown = 0;
    for (int i = 0; i < SELECTORS; i++) {
      String selector = selector();
      Optional<Set<String>> expected = listed(selector);
      assertThat(selected(selector, all))
          .as("selector \"%s\", seed %d", selector, seed)
          .isEqualTo(expected);
      refused += expected.isEmpty() ? 1 : 0;
      shown += expected.map(Set::size).orElse(0) > 0 ? 1 : 0;
    }
    assertThat(refused).as("seed %d", seed).isPositive();
    assertThat(shown).as("seed %d", seed).isPositive();
  }
}
