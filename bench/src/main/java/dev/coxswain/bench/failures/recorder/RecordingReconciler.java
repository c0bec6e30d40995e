// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import dev.coxswain.bench.failures.recorder.AttemptRecord.Event;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.RecordLog;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Waits, then writes the status: with the version that was read for every second object, and for
 * the others without one, so that only the write guard stands between a late write and the object.
 */
final class RecordingReconciler implements Reconciler<Request> {
  private static final Gson GSON = new Gson();
  private static final long UNLIMITED = -1;

  private final Function<Request, Optional<RecordedObject>> objects;
  private final Resource<RecordedObject> resource;
  private final RecordLog log;
  private final String process;
  private final Duration wait;
  private final Duration again;

  RecordingReconciler(
      Function<Request, Optional<RecordedObject>> objects,
      Resource<RecordedObject> resource,
      RecordLog log,
      String process,
      Duration wait,
      Duration again) {
    this.objects = objects;
    this.resource = resource;
    this.log = log;
    this.process = process;
    this.wait = wait;
    this.again = again;
  }

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws Exception {
    long begin = System.nanoTime();
    RecordedObject object = objects.apply(request).orElse(null);
    if (object == null) {
      return Result.done();
    }
    record(Event.BEGIN, begin, request, context, object.generation());
    try {
      Thread.sleep(wait);
      if (object.spec().fail()) {
        throw new RecordedFailure();
      }
      return again.isNegative()
          ? write(request, context, object, begin)
          : Result.requeueAfter(again);
    } finally {
      record(Event.END, System.nanoTime(), request, context, 0);
    }
  }

  private Result write(
      Request request, ReconcileContext context, RecordedObject object, long begin) {
    var status = new RecordedObject.Status(object.generation(), context.epoch(), begin, process);
    boolean versioned = request.name().hashCode() % 2 == 0;
    object.setStatus(status);
    long requested = System.nanoTime();
    try {
      RecordedObject stored =
          versioned ? resource.updateStatus(object) : resource.patchStatus(request, patch(status));
      record(
          Event.WRITTEN,
          requested,
          request,
          context,
          Long.parseLong(stored.getMetadata().getResourceVersion()));
      return Result.done();
    } catch (LostOwnershipException e) {
      record(Event.REFUSED, requested, request, context, 0);
      throw e;
    } catch (ApiStatusException e) {
      boolean conflict = e.isConflict();
      record(conflict ? Event.CONFLICT : Event.FAILED, requested, request, context, 0);
      if (conflict) {
        return Result.requeue();
      }
      throw e;
    }
  }

  private static JsonObject patch(RecordedObject.Status status) {
    JsonObject patch = new JsonObject();
    patch.add("status", GSON.toJsonTree(status));
    return patch;
  }

  private void record(
      Event event, long nanos, Request request, ReconcileContext context, long value) {
    Duration left = context.timeLeft();
    log.append(
        RecordCodec.line(
            new AttemptRecord(
                event,
                nanos,
                request.name(),
                context.attemptId(),
                context.epoch(),
                context.trigger(),
                value,
                left.equals(Duration.ofNanos(Long.MAX_VALUE))
                    ? UNLIMITED
                    : Math.max(0, left.toNanos()))));
  }

  /** Without a stack trace: an attempt shall do nothing else. */
  private static final class RecordedFailure extends Exception {
    private static final long serialVersionUID = 1;

    private RecordedFailure() {
      super("spec.fail is true", null, false, false);
    }
  }
}
