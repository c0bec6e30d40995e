// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.UserCodeFault;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code of users between the API server and the queue of one controller. A list of throwables used
 * to be caught; any other one, and an interrupt flag that was left behind, ended the thread that
 * read or delivered: the controller received nothing any more, and so did all others that shared
 * its cache, while each of them was shown as running.
 */
class UserCodeTest {

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final RecordingSink sink = new RecordingSink();
  private final RecordingSink otherSink = new RecordingSink();

  /** What the classes that the JSON library makes do; it makes them without arguments. */
  private static volatile UserCodeFault onDecode = UserCodeFault.IO_ERROR;

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  /** Where code of users is called. */
  enum Boundary {
    PREDICATE,
    HANDLER,
    MAPPING,
    HANDLER_KEEPS_NAMES,
    INDEX,
    TRANSFORM,
    DECODE,
    SINK,
    SINK_PENDING
  }

  static Stream<Arguments> all() {
    return Stream.of(Boundary.values())
        .flatMap(place -> Stream.of(UserCodeFault.values()).map(what -> Arguments.of(place, what)));
  }

  @ParameterizedTest
  @MethodSource("all")
  void whateverUserCodeDoesAtOneObject_theNextOneReachesThisControllerAndTheOthers(
      Boundary place, UserCodeFault fault) {
    server.put("a", "bad", "1");
    KindSource<?> victim = source(place, fault);
    KindSource<V1ConfigMap> other = k8s.kind(V1ConfigMap.class).toSource();
    Await.get(victim.start(place.name().startsWith("SINK") ? new BadSink(place, fault) : sink));
    Await.get(other.start(otherSink));

    server.put("a", "bad", "2");
    server.put("a", "good", "1");

    Await.until(
        () -> "the event of the other controller: " + otherSink.added(),
        () -> otherSink.added().contains("a/good 0 EVENT"));
    Await.until(
        () -> "the event of this controller: " + sink.added() + victim.problem(),
        () -> sink.added().contains("a/good 0 EVENT"));
    assertThat(otherSink.added()).contains("a/bad 0 EVENT");
    Await.get(victim.stop());
  }

  /** An attempt too many is harmless, a missed change is not. */
  @ParameterizedTest
  @EnumSource
  void eventWhosePredicateThrows_passes(UserCodeFault fault) {
    server.put("a", "bad", "1");
    Await.get(source(Boundary.PREDICATE, fault).start(sink));

    server.put("a", "bad", "2");

    sink.awaitAdded("a/bad -100 INITIAL_LIST", "a/bad 0 EVENT");
  }

  private KindSource<?> source(Boundary place, UserCodeFault fault) {
    KindSelection<V1ConfigMap> all = k8s.kind(V1ConfigMap.class);
    return switch (place) {
      case PREDICATE ->
          all.filter(
                  event -> {
                    at(event.key().name(), fault);
                    return true;
                  })
              .toSource();
      case HANDLER ->
          all.handledBy(
                  (event, requests) -> {
                    at(event.key().name(), fault);
                    requests.accept(event.key());
                  })
              .toSource();
      case MAPPING ->
          all.handledBy(
                  Handlers.map(map -> {
                    String name = String.valueOf(ConfigMaps.meta(map).getName());
                    at(name, fault);
                    return List.of(Request.of("a", name));
                  }))
              .toSource();
      case HANDLER_KEEPS_NAMES -> all.handledBy(new Naming(fault)).toSource();
      case INDEX ->
          all.indexedBy(
                  new Index<>(
                      "bad",
                      map -> {
                        at(String.valueOf(ConfigMaps.meta(map).getName()), fault);
                        return List.of("x");
                      }))
              .toSource();
      case TRANSFORM ->
          all.transformedBy(
                  json -> {
                    at(json.getAsJsonObject("metadata").get("name").getAsString(), fault);
                    return json;
                  })
              .toSource();
      case DECODE -> {
        onDecode = fault;
        yield k8s.kind(Trap.class).toSource();
      }
      case SINK, SINK_PENDING -> all.toSource();
    };
  }

  private static void at(String name, UserCodeFault fault) {
    if (name.equals("bad")) {
      fault.run();
    }
  }

  /** A class that runs code when it is made from JSON. */
  @KubernetesResource(group = "", version = "v1", plural = "configmaps", kind = "ConfigMap")
  @com.google.gson.annotations.JsonAdapter(TrapAdapter.class)
  static final class Trap implements KubernetesObject {
    private final V1ObjectMeta metadata = new V1ObjectMeta();

    @Override
    public V1ObjectMeta getMetadata() {
      return metadata;
    }

    @Override
    public String getApiVersion() {
      return "v1";
    }

    @Override
    public String getKind() {
      return "ConfigMap";
    }
  }

  static final class TrapAdapter implements com.google.gson.JsonDeserializer<Trap> {
    @Override
    public Trap deserialize(
        com.google.gson.JsonElement json,
        java.lang.reflect.Type type,
        com.google.gson.JsonDeserializationContext context) {
      String name = json.getAsJsonObject().getAsJsonObject("metadata").get("name").getAsString();
      at(name, onDecode);
      Trap trap = new Trap();
      trap.metadata.name(name).namespace("a");
      return trap;
    }
  }

  private record Naming(UserCodeFault fault) implements EventHandler<V1ConfigMap> {
    @Override
    public void handle(ObjectEvent<V1ConfigMap> event, RequestSink requests) {
      at(event.key().name(), fault);
      requests.accept(event.key());
    }

    @Override
    public boolean namesObjects() {
      fault.run();
      return true;
    }
  }

  private final class BadSink implements dev.coxswain.source.EventSink<Request> {
    private final Boundary place;
    private final UserCodeFault fault;
    private int asked;

    BadSink(Boundary place, UserCodeFault fault) {
      this.place = place;
      this.fault = fault;
    }

    @Override
    public void add(Request request, int priority, Trigger trigger) {
      if (place == Boundary.SINK) {
        at(request.name(), fault);
      }
      sink.add(request, priority, trigger);
    }

    @Override
    public void addAfter(Request request, java.time.Duration delay, int priority, Trigger trigger) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void forget(Request request) {}

    @Override
    public int pending() {
      if (place == Boundary.SINK_PENDING && asked++ < 2) {
        fault.run();
      }
      return 0;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whateverAPeriodicFunctionDoes_itIsAskedAgain(UserCodeFault fault) {
    int[] calls = {0};
    PeriodicSource<Request> source =
        new PeriodicSource<>(
            "vendor",
            java.time.Duration.ofMillis(2),
            () -> {
              if (++calls[0] % 2 == 1) {
                fault.run();
              }
              return List.of(Request.of("call" + calls[0]));
            });
    Future<Void> synced = source.start(sink);

    Await.get(synced);
    Await.until(
        () -> "the sixth call: " + sink.added(),
        () -> sink.added().stream().anyMatch(added -> added.startsWith("call6 ")));
    Await.get(source.stop());
    @Nullable String problem = source.problem().orElse(null);
    assertThat(problem).as("a source that was stopped").isNull();
  }
}
