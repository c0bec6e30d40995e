// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill.herd;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Fails as the spec of an object says; what fails of the quota succeeds once the quota is large
 * enough.
 *
 * <p>Thread rule: as its two functions, which may block.
 *
 * @param objects finds an object
 * @param quota reads how many volumes there may be
 */
record HerdReconciler(
    Function<Request, ? extends Optional<? extends HerdObject>> objects, IntSupplier quota)
    implements Reconciler<Request> {

  private static final Duration AUTHORITY_PAUSE = Duration.ofSeconds(30);

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws Exception {
    Optional<? extends HerdObject> found = objects.apply(request);
    HerdObject.Spec spec = found.isEmpty() ? null : found.get().spec();
    HerdFailure failure = spec == null ? null : spec.failure();
    if (failure == null) {
      return Result.done();
    }
    switch (failure) {
      case QUOTA -> createVolume(request);
      case REGISTRY -> pullImage();
      case BUCKET -> openBucket();
      case DENIED -> listVolumes();
      case RECORD -> awaitRecord(request);
      case FAULT -> renew(Map.of());
      case THROTTLED -> order();
    }
    return Result.done();
  }

  private void createVolume(Request request) throws QuotaException {
    int limit = quota.getAsInt();
    if (limit <= HerdDefinition.USED) {
      throw new QuotaException(
          "no volume for " + request.name() + ": the quota of " + limit + " volumes is used up");
    }
  }

  private static void pullImage() throws IOException {
    throw new IOException("cannot pull shop/web:1.4: the registry has answered 503");
  }

  private static void openBucket() {
    throw new IllegalStateException("the bucket \"nightly\" does not exist");
  }

  private static void listVolumes() throws DeniedException {
    throw new DeniedException("403: \"backup-agent\" may not list volumes");
  }

  private static void awaitRecord(Request request) throws TimeoutException {
    throw new TimeoutException("no DNS record _acme-challenge of " + request.name() + " after 30s");
  }

  private static void renew(Map<String, String> labels) {
    Objects.requireNonNull(labels.get("issuer"), "the certificate has no label \"issuer\"");
  }

  private static void order() throws RetryAfterException {
    throw new RetryAfterException(AUTHORITY_PAUSE, "the authority takes no more orders for now");
  }

  /** Too many volumes. */
  static final class QuotaException extends Exception {
    private static final long serialVersionUID = 1;

    QuotaException(String message) {
      super(message);
    }
  }

  /** A right is missing. */
  static final class DeniedException extends Exception {
    private static final long serialVersionUID = 1;

    DeniedException(String message) {
      super(message);
    }
  }
}
