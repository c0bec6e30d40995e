// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSelection;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Three caches with a listener each, random writes, and a server that breaks in every way. */
class CachesUnderFaultsTest {

  private static final int OPERATIONS = 500;

  private final List<String> faults = new CopyOnWriteArrayList<>();

  /** One cache and what its listener believes. */
  private final class Follower {
    final InformerHandle<V1ConfigMap> cache;
    final Map<Request, String> view = new ConcurrentHashMap<>();

    Follower(String name, KindSelection<V1ConfigMap> selection) {
      cache = selection.openCache();
      Await.get(cache.subscribe(name, event -> follow(name, event)).synced());
    }

    private void follow(String name, ObjectEvent<V1ConfigMap> event) {
      String known =
          event.kind() == ObjectEvent.Kind.DELETED
              ? view.remove(event.key())
              : view.put(event.key(), ConfigMaps.value(event.object()));
      if ((event.kind() == ObjectEvent.Kind.ADDED) != (known == null)) {
        faults.add(name + ": " + event + " but knew " + known);
      }
    }

    Map<Request, String> cached() {
      Map<Request, String> values = new HashMap<>();
      cache
          .keys()
          .forEach(key -> cache.get(key).ifPresent(map -> values.put(key, ConfigMaps.value(map))));
      return values;
    }
  }

  @Test
  void whateverTheServerDoes_everyCacheAndEveryListenerEndsUpWithTheTruth() {
    long seed = 20_261_121;
    SplittableRandom random = new SplittableRandom(seed);
    CacheOptions fast =
        CacheOptions.DEFAULT
            .withMinBackoff(Duration.ofMillis(10))
            .withMaxBackoff(Duration.ofMillis(100))
            .withAbsentApiWait(Duration.ofMillis(20))
            .withShortWatch(Duration.ofMillis(20));
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes k8s =
            Kubernetes.of(
                new ApiClient().setBasePath(server.url()),
                KubernetesOptions.DEFAULT.withIdleTimeout(Duration.ofMillis(400)).withPageSize(7),
                fast,
                Clock.system());
        // Its writes are not hit by the faults that are meant for lists and watches.
        Kubernetes writer = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      KindSelection<V1ConfigMap> maps = k8s.kind(V1ConfigMap.class);
      List<Follower> followers = new ArrayList<>();
      followers.add(new Follower("all", maps));
      followers.add(new Follower("namespace", maps.inNamespace("default")));
      followers.add(new Follower("selected", maps.labels("even=true")));
      Resource<V1ConfigMap> write = writer.resource(V1ConfigMap.class);

      for (int i = 0; i < OPERATIONS; i++) {
        write(write, random, i);
        if (i % 50 == 0) {
          breakSomething(server, random);
        }
      }
      server.faults().reset();
      server.faults().closeWatches();

      assertTruth(seed, write, followers);
      assertThat(faults).as("seed %s", seed).isEmpty();
      // One for each cache; what was cut off on the way has been given back.
      Await.until("three watches", () -> server.faults().openWatches() == 3);
    }
  }

  private static void breakSomething(EmbeddedApiServer server, SplittableRandom random) {
    switch (random.nextInt(6)) {
      case 0 -> server.faults().closeWatches();
      case 1 -> {
        server.faults().compactHistory();
        server.faults().closeWatches();
      }
      case 2 -> {
        server.faults().failNext(3, 500, Duration.ZERO, uri -> uri.contains("watch=true"));
        server.faults().closeWatches();
      }
      case 3 -> {
        server.faults().failNext(2, 410, Duration.ZERO, uri -> uri.contains("watch=true"));
        server.faults().closeWatches();
      }
      case 4 -> {
        // Muted watches stay so; only the idle timeout finds out.
        server.faults().silenceWatches(true);
        server.faults().silenceWatches(false);
      }
      default -> server.faults().addUnknownFields(random.nextBoolean());
    }
  }

  private static void write(Resource<V1ConfigMap> maps, SplittableRandom random, int i) {
    Request key =
        Request.of(random.nextBoolean() ? "default" : "kube-public", "m" + random.nextInt(40));
    try {
      if (random.nextInt(4) == 0) {
        maps.delete(key);
        return;
      }
      String even = Boolean.toString(i % 2 == 0);
      if (maps.get(key).isPresent()) {
        maps.patch(
            key,
            JsonParser.parseString(
                    "{\"metadata\":{\"labels\":{\"even\":\"%s\"}},\"data\":{\"v\":\"%d\"}}"
                        .formatted(even, i))
                .getAsJsonObject());
      } else {
        maps.create(
            new V1ConfigMap()
                .metadata(
                    new V1ObjectMeta()
                        .namespace(key.namespace())
                        .name(key.name())
                        .labels(Map.of("even", even)))
                .data(Map.of("v", "" + i)));
      }
    } catch (ApiStatusException e) {
      if (e.code() != 500 && e.code() != 410) {
        throw e;
      }
    }
  }

  private static void assertTruth(long seed, Resource<V1ConfigMap> maps, List<Follower> followers) {
    List<ListOptions> selections =
        List.of(
            ListOptions.ALL,
            ListOptions.ALL.inNamespace("default"),
            ListOptions.ALL.labels("even=true"));
    for (int i = 0; i < selections.size(); i++) {
      Map<Request, String> truth = new HashMap<>();
      maps.list(selections.get(i)).forEach(m -> truth.put(maps.key(m), ConfigMaps.value(m)));
      Follower follower = followers.get(i);
      Await.until(
          () ->
              "seed "
                  + seed
                  + " "
                  + follower.cache.status()
                  + ": the cache to be "
                  + truth
                  + " but it is "
                  + follower.cached(),
          () -> follower.cached().equals(truth));
      Await.until(
          () ->
              "seed " + seed + ": the listener to know " + truth + " but it knows " + follower.view,
          () -> follower.view.equals(truth));
    }
  }
}
