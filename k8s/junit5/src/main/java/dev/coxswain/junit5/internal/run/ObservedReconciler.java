// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.ReconcileBody;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A reconciler with a record of its attempts around it.
 *
 * <p>Thread rule: the thread of the test.
 *
 * @param <K> the type of the requests
 */
final class ObservedReconciler<K> {

  private static final Duration POSTPONED = Duration.ofMillis(10);

  private final RunDriver driver;
  private final TestReplica replica;
  private final Controller<K> controller;

  private ObservedReconciler(RunDriver driver, TestReplica replica, Controller<K> controller) {
    this.driver = driver;
    this.replica = replica;
    this.controller = controller;
  }

  /** Returns the same controller, observed. */
  static <K> Controller<K> of(RunDriver driver, TestReplica replica, Controller<K> controller) {
    ObservedReconciler<K> observed = new ObservedReconciler<>(driver, replica, controller);
    return ControllerRuntime.withBody(
        controller, observed.around(ControllerRuntime.bodyOf(controller)));
  }

  private ReconcileBody<K> around(ReconcileBody<K> own) {
    return switch (own) {
      case ReconcileBody.Blocking<K> body ->
          new ReconcileBody.Blocking<>((request, context) -> {
            int attempt = begin(request, context);
            if (driver.policy().postpones(attempt)) {
              return postponed(attempt);
            }
            try {
              Result result = body.reconciler().reconcile(request, context);
              end(attempt, request, result, null);
              return result;
            } catch (Throwable e) {
              end(attempt, request, null, e);
              throw e;
            }
          });
      case ReconcileBody.Async<K> body ->
          new ReconcileBody.Async<>((request, context) -> {
            int attempt = begin(request, context);
            if (driver.policy().postpones(attempt)) {
              return Future.succeededFuture(postponed(attempt));
            }
            return body.reconciler()
                .reconcile(request, context)
                .onSuccess(result -> end(attempt, request, result, null))
                .onFailure(e -> end(attempt, request, null, e));
          });
    };
  }

  private int begin(K request, ReconcileContext context) {
    String key = key(request);
    int attempt =
        driver.attemptBegins(
            controller.name() + " " + key,
            controller.format().namespace(request),
            live -> live.again(controller.name(), request));
    driver.log().add(replica.name(), AttemptText.begin(attempt, controller.name(), key, context));
    return attempt;
  }

  private String key(K request) {
    return AttemptText.key(controller.format(), request);
  }

  private Result postponed(int attempt) {
    driver.log().mark("attempt " + attempt + " is put off behind the others");
    driver.attemptEnds();
    return Result.requeueAfter(POSTPONED);
  }

  private void end(int attempt, K request, @Nullable Result result, @Nullable Throwable failure) {
    driver.attemptEnds();
    if (replica.isDead()) {
      return; // what the rest of the attempt did, it did nowhere
    }
    String failed = failure == null ? null : AttemptText.firstLine(failure);
    driver.tally().ended(controller.name(), key(request), failed);
    driver.log().add(replica.name(), AttemptText.end(attempt, result, failed));
    driver
        .policy()
        .attemptEnded(
            replica,
            attempt,
            controller.format().namespace(request),
            () -> replica.again(controller.name(), request));
  }
}
