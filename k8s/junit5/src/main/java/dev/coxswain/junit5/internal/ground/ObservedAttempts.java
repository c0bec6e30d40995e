// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.ReconcileBody;
import dev.coxswain.junit5.internal.run.AttemptText;
import dev.coxswain.junit5.internal.run.TimelineLog;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a controller in real time, in the timeline. Requests of foreign namespaces are done
 * without an attempt: a test acts on nothing that it has not made.
 *
 * <p>Thread rule: any thread.
 *
 * @param <K> the type of the requests
 */
final class ObservedAttempts<K> {

  private final Controller<K> controller;
  private final String replica;
  private final TimelineLog log;
  private final Predicate<String> owns;
  private final AtomicLong attempts = new AtomicLong();

  private ObservedAttempts(
      Controller<K> controller, String replica, TimelineLog log, Predicate<String> owns) {
    this.controller = controller;
    this.replica = replica;
    this.log = log;
    this.owns = owns;
  }

  /**
   * Returns the same controller, observed.
   *
   * @param owns whether objects of a namespace are of the test; empty for requests without one
   */
  static <K> Controller<K> of(
      Controller<K> controller, String replica, TimelineLog log, Predicate<String> owns) {
    return ControllerRuntime.withBody(
        controller,
        new ObservedAttempts<>(controller, replica, log, owns)
            .around(ControllerRuntime.bodyOf(controller)));
  }

  private ReconcileBody<K> around(ReconcileBody<K> own) {
    return switch (own) {
      case ReconcileBody.Blocking<K> body ->
          new ReconcileBody.Blocking<>((request, context) -> {
            if (isForeign(request)) {
              return Result.done();
            }
            long attempt = begin(request, context);
            try {
              Result result = body.reconciler().reconcile(request, context);
              end(attempt, result, null);
              return result;
            } catch (Throwable e) {
              end(attempt, null, e);
              throw e;
            }
          });
      case ReconcileBody.Async<K> body ->
          new ReconcileBody.Async<>((request, context) -> {
            if (isForeign(request)) {
              return Future.succeededFuture(Result.done());
            }
            long attempt = begin(request, context);
            return body.reconciler()
                .reconcile(request, context)
                .onSuccess(result -> end(attempt, result, null))
                .onFailure(e -> end(attempt, null, e));
          });
    };
  }

  private boolean isForeign(K request) {
    return !owns.test(controller.format().namespace(request));
  }

  private long begin(K request, ReconcileContext context) {
    long attempt = attempts.incrementAndGet();
    String key = AttemptText.key(controller.format(), request);
    log.add(replica, AttemptText.begin(attempt, controller.name(), key, context));
    return attempt;
  }

  private void end(long attempt, @Nullable Result result, @Nullable Throwable failure) {
    String failed = failure == null ? null : AttemptText.firstLine(failure);
    log.add(replica, AttemptText.end(attempt, result, failed));
  }
}
