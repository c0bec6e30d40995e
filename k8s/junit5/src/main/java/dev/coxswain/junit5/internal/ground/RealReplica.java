// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.junit5.internal.run.KitEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.QueueSnapshot;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A process in real time: controllers on event loops, with a client and informers of their own.
 *
 * <p>Thread rule: the thread of the test.
 */
final class RealReplica {

  /** A test should not wait for a resource that is not installed as long as a host does. */
  private static final CacheOptions CACHES =
      CacheOptions.DEFAULT.withAbsentApiWait(Duration.ofMillis(200));

  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(5);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private record Running(
      String name, ControllerVerticle<?> verticle, List<? extends EventSource<?>> sources) {}

  private final RealRun run;
  private final String name;
  private final List<Access> accesses = new ArrayList<>();
  private final Kubernetes own;
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
  private final Map<String, Running> running = new LinkedHashMap<>();
  private volatile boolean dead;

  /** The access to one cluster. */
  private record Access(
      RealCluster cluster, OkHttpClient http, WatchRegistry watches, Kubernetes kubernetes) {}

  RealReplica(RealRun run, int number) {
    this.run = run;
    this.name = "R" + number;
    run.clusters().forEach(cluster -> accesses.add(access(cluster)));
    this.own =
        KubernetesRuntime.of(accesses.getFirst().kubernetes)
            .withClusters(accesses.stream().skip(1).map(Access::kubernetes).toList());
  }

  private Access access(RealCluster cluster) {
    RealGround ground = cluster.ground();
    ServerAccess access = ground.access();
    WatchRegistry watches = new WatchRegistry(access.address(), ground::owns);
    OkHttpClient http =
        access
            .http()
            .newBuilder()
            .dispatcher(new Dispatcher())
            .connectionPool(new ConnectionPool())
            .addInterceptor(chain -> call(cluster, chain))
            .addInterceptor(ground.requests(run, false))
            .addInterceptor(watches)
            .build();
    KubernetesOptions options = KubernetesOptions.DEFAULT.withCluster(cluster.name());
    return new Access(
        cluster,
        http,
        watches,
        Kubernetes.of(access.withHttp(http), options, CACHES, Clock.system()));
  }

  private Response call(RealCluster cluster, Interceptor.Chain chain) throws IOException {
    if (dead) {
      throw new IOException("the process has crashed");
    }
    Response response = chain.proceed(chain.request());
    if (!response.request().method().equals("GET")) {
      run.wrote(name, "  ", cluster.name(), response);
    }
    return response;
  }

  /** Starts controllers, and waits until their sources have synced or wait for their resource. */
  void start(
      RealGround ground, List<ControllerDefinition> definitions, Map<String, Object> config) {
    List<ControllerDefinition> all = KitEnvironment.all(definitions);
    KitEnvironment environment = new KitEnvironment(own, meters, config, Clock.system());
    ground.serve(all, environment);
    ControllerRuntime runtime = KitEnvironment.runtime(Clock.system(), DRAIN_LIMIT);
    List<Controller<?>> controllers = new ArrayList<>();
    all.forEach(definition -> controllers.add(environment.build(definition)));
    KitEnvironment.requireDistinct(controllers.stream().map(Controller::name).toList());
    run.log().add(name, "process started");
    controllers.forEach(controller -> deploy(controller, runtime));
    run.await("the sources of " + controllers() + " have synced", this::isSynced);
  }

  private <K> void deploy(Controller<K> controller, ControllerRuntime runtime) {
    ControllerVerticle<K> verticle =
        new ControllerVerticle<>(
            ObservedAttempts.of(controller, name, run.log(), run::owns), runtime);
    running.put(controller.name(), new Running(controller.name(), verticle, controller.sources()));
    get(vertx.deployVerticle(verticle));
  }

  private boolean isSynced() {
    boolean all = true;
    for (Running one : running.values()) {
      Future<Void> synced = one.verticle.synced();
      if (synced.failed()) {
        throw new IllegalStateException(
            "controller \"" + one.name + "\" did not start", synced.cause());
      }
      all &= synced.isComplete() || one.verticle.isWaiting();
    }
    return all;
  }

  @Nullable ControllerHandle handle(String controller) {
    Running found = running.get(controller);
    return found == null ? null : found.verticle.handle();
  }

  List<String> controllers() {
    return List.copyOf(running.keySet());
  }

  MeterRegistry meters() {
    return meters;
  }

  /** Returns how many events of the test its informers have received. */
  long events() {
    return accesses.stream().mapToLong(one -> one.watches.events()).sum();
  }

  /** Returns what is in progress; empty when nothing is. */
  Optional<String> busy() {
    for (Running one : running.values()) {
      QueueSnapshot queue = one.verticle.handle().snapshot();
      if (queue.ready() + queue.inFlight() > 0) {
        return Optional.of(
            "controller \"%s\" has %d ready and %d in flight"
                .formatted(one.name, queue.ready(), queue.inFlight()));
      }
      for (EventSource<?> source : one.sources) {
        if (source instanceof KindSource<?> kind
            && !kind.isWaiting()
            && kind.position().isEmpty()) {
          return Optional.of("source " + kind.describe() + " of \"" + one.name + "\" delivers");
        }
      }
    }
    return Optional.empty();
  }

  /** Reads what its informers watch, and returns what they have not received; empty for nothing. */
  Optional<String> behind() {
    return accesses.stream()
        .flatMap(one -> one.watches.behind(one.cluster.transport()).stream())
        .findFirst();
  }

  /** Ends it as a crash does: what runs now reaches the server no more. */
  void crash() {
    dead = true;
    accesses.forEach(one -> one.http.dispatcher().cancelAll());
    close();
  }

  /** Stops its controllers and their informers. */
  void close() {
    try {
      get(vertx.close());
    } finally {
      own.close();
      accesses.forEach(one -> {
        one.http.dispatcher().cancelAll();
        one.http.connectionPool().evictAll();
      });
    }
  }

  private static <T> T get(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("the controllers did not stop within " + STOP_LIMIT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
