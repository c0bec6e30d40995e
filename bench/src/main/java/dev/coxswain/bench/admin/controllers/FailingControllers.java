// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import dev.coxswain.bench.run.BenchConfig;
import dev.coxswain.bench.run.StartSource;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.source.EventSink;
import dev.coxswain.verticle.YieldingExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

/**
 * Controllers of which every request fails once, each of one of many causes, and waits for hours
 * then. Their part of the configuration: {@code keys} and {@code causes}, how many requests and
 * causes each of them has.
 *
 * <p>Thread rule: as every definition, called on a virtual thread; the reconcilers run on the event
 * loop.
 */
public final class FailingControllers implements ControllerDefinition {
  /** The number of controllers; one has at most a thousand causes. */
  public static final int COUNT = 10;

  private static final String PREFIX = "failing-";
  private static final int NAMESPACES = 100;
  private static final int SLICE = 250;
  private static final int LETTERS = 26;
  private static final Duration LATER = Duration.ofHours(12);

  public FailingControllers() {}

  /** Returns the name of a controller, from 0. */
  public static String name(int number) {
    return PREFIX + number;
  }

  /** Returns the namespace and the name of a request. */
  public static Request request(int number) {
    return Request.of("team-" + number % NAMESPACES, "object-" + number);
  }

  @Override
  public List<ControllerDefinition> definitions() {
    return IntStream.range(0, COUNT)
        .<ControllerDefinition>mapToObj(number -> new One(name(number)))
        .toList();
  }

  @Override
  public String name() {
    throw new UnsupportedOperationException("its definitions are used instead");
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    throw new UnsupportedOperationException("its definitions are used instead");
  }

  private record One(String name) implements ControllerDefinition {

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      BenchConfig config = new BenchConfig(name, environment);
      int keys = config.number("keys");
      int causes = config.number("causes");
      return Controller.named(name)
          .watches(
              new StartSource<>(
                  keys + " requests that fail",
                  sink -> {
                    Promise<Void> all = Promise.promise();
                    feed(
                        new YieldingExecutor(Objects.requireNonNull(Vertx.currentContext())),
                        sink,
                        0,
                        keys,
                        all);
                    return all.future();
                  }))
          .reconcilesAsync((request, _) -> Future.failedFuture(failure(request, causes)));
    }

    /** A retry would wait for a token, which this benchmark is not about. */
    private static RetryAfterException failure(Request request, int causes) {
      int number = Integer.parseInt(request.name().substring("object-".length()));
      return new RetryAfterException(
          LATER, "the vendor " + letters(number % causes) + " does not respond");
    }

    /** Digits do not count in the message of a cause. */
    private static String letters(int number) {
      StringBuilder text = new StringBuilder("v");
      for (int left = number; left > 0; left /= LETTERS) {
        text.append((char) ('a' + left % LETTERS));
      }
      return text.toString();
    }

    private static void feed(
        Executor slices, EventSink<Request> sink, int from, int keys, Promise<Void> all) {
      int to = Math.min(keys, from + SLICE);
      for (int i = from; i < to; i++) {
        sink.add(request(i));
      }
      if (to == keys) {
        all.complete();
      } else {
        slices.execute(() -> feed(slices, sink, to, keys, all));
      }
    }
  }
}
