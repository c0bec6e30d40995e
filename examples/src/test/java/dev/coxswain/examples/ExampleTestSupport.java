// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.verticle.ControllerVerticle;
import io.kubernetes.client.openapi.ApiClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Runs one example on the real engine against the embedded API server. */
public abstract class ExampleTestSupport {

  private static final Duration LIMIT = Duration.ofSeconds(100);

  protected final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final List<String> requests = new CopyOnWriteArrayList<>();
  protected final Kubernetes k8s = Kubernetes.of(client(), KubernetesOptions.DEFAULT);
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger terminals = new AtomicInteger();
  private final AtomicInteger attempts = new AtomicInteger();
  private final Vertx vertx = Vertx.vertx();

  private final class Counting implements ControllerTelemetry {
    @Override
    public void finished(Outcome outcome, long nanos) {
      attempts.incrementAndGet();
      if (outcome == Outcome.ERROR) {
        failures.incrementAndGet();
      }
    }

    @Override
    public void terminal() {
      terminals.incrementAndGet();
    }
  }

  private ApiClient client() {
    ApiClient client = new ApiClient();
    return client
        .setHttpClient(
            client
                .getHttpClient()
                .newBuilder()
                .addInterceptor(chain -> {
                  requests.add(
                      chain.request().method() + " " + chain.request().url().encodedPath());
                  return chain.proceed(chain.request());
                })
                .build())
        .setBasePath(server.url());
  }

  /** Returns the configuration of the controller; empty by default. */
  protected Map<String, Object> config() {
    return Map.of();
  }

  /** Returns how many requests of a method were sent for a path that ends so. */
  protected long requests(String method, String path) {
    return requests.stream()
        .filter(line -> line.startsWith(method + " ") && line.endsWith(path))
        .count();
  }

  /** Returns how many attempts have ended. */
  protected int attempts() {
    return attempts.get();
  }

  /** Returns how many attempts have failed, terminal failures not counted. */
  protected int failures() {
    return failures.get() - terminals.get();
  }

  /** Installs a file of the example's resources. */
  protected void install(String file) {
    try (InputStream in =
        Objects.requireNonNull(
            ExampleTestSupport.class.getResourceAsStream("/coxswain/dev/" + file), file)) {
      server.apply(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a controller and waits until it has synced. */
  protected ControllerHandle run(ControllerDefinition definition) throws Exception {
    return run(definition.create(environment()));
  }

  /** Runs a controller with another backoff than its own, as a test with many failures needs. */
  protected ControllerHandle run(ControllerDefinition definition, Backoff backoff)
      throws Exception {
    return run(definition.create(environment()).withOptions(o -> o.withBackoff(backoff)));
  }

  private <K> ControllerHandle run(Controller<K> controller) {
    RetryBudget budget = new LocalRetryBudget("test", 1_000, 1_000, Clock.system());
    ControllerVerticle<K> verticle =
        new ControllerVerticle<>(
            controller,
            new ControllerRuntime(
                name -> budget,
                name -> new Counting(),
                Clock.system(),
                ControllerRuntime.DEFAULT_DRAIN_LIMIT));
    await(vertx.deployVerticle(verticle));
    await(verticle.synced());
    return verticle.handle();
  }

  private ControllerEnvironment environment() {
    return new ControllerEnvironment() {
      @Override
      public <T> T get(Class<T> type) {
        return type.cast(k8s);
      }

      @Override
      public Map<String, Object> config() {
        return ExampleTestSupport.this.config();
      }

      @Override
      public Clock clock() {
        return Clock.system();
      }
    };
  }

  /** Waits until {@code condition} holds. */
  protected static void await(Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited " + LIMIT + " in vain for: " + what.get());
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static <T> T await(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("the future did not succeed", e);
    }
  }

  @AfterEach
  void close() {
    await(vertx.close());
    k8s.close();
    server.close();
  }
}
