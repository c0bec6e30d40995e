// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.controller;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.io.FileWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Fails for ever, on every replica, and writes down when each retry starts: on one machine {@link
 * System#nanoTime} is one clock for all processes.
 */
public final class FailingController implements ControllerDefinition {

  public static final String NAME = "failing";
  private static final int REQUESTS = 50;
  private static final int CONCURRENCY = 10;

  /** Creates the definition; called by the host. */
  public FailingController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    Path folder = Path.of(String.valueOf(environment.config().get("folder")));
    FileWriter starts =
        new FileWriter(
            folder.resolve(ProcessHandle.current().pid() + ".starts").toFile(),
            StandardCharsets.UTF_8,
            true);
    return Controller.named(NAME)
        .options(options ->
            options
                .withOwnership(Ownership.EVERYWHERE)
                .withConcurrency(CONCURRENCY)
                .withBackoff(Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(50), 0)))
        .watches(new Requests())
        .reconcilesAsync((request, context) -> {
          if (context.trigger() == Trigger.RETRY) {
            try {
              // Flushed at once: a replica that is killed must not take its records with it.
              starts.append(Long.toString(System.nanoTime())).append('\n').flush();
            } catch (IOException e) {
              return Future.failedFuture(e);
            }
          }
          return Future.failedFuture("on purpose");
        });
  }

  private static final class Requests implements EventSource<Request> {
    @Override
    public String describe() {
      return "requests that fail";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      for (int i = 0; i < REQUESTS; i++) {
        sink.add(new Request("default", "request-" + i));
      }
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
