// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.pause;

import dev.coxswain.admin.internal.cause.Causes;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.Effect;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pauses of controllers and of causes of their failures. Confined to the admin event loop. */
public final class Pauses {

  private static final Logger log = LoggerFactory.getLogger(Pauses.class);

  /** The most paused causes of one controller; with more, the controller itself can be paused. */
  private static final int MAX_CAUSES = 20;

  private static final Pattern CAUSE = Pattern.compile("[0-9a-f]{12}");

  private final ControllerDirectory directory;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final Clock clock;
  private final PauseReset undone;

  public Pauses(
      ControllerDirectory directory, Controllers controllers, ControllerCalls calls, Clock clock) {
    this.directory = directory;
    this.controllers = controllers;
    this.calls = calls;
    this.clock = clock;
    this.undone = new PauseReset(directory, controllers, calls);
  }

  /**
   * Returns the controller, if this replica can pause what the request names: one that has not seen
   * a cause cannot describe it to the others.
   */
  public Future<Response> find(RequestContext context) {
    String cause = context.body().peek("/cause");
    boolean isOne = CAUSE.matcher(cause).matches() && !cause.equals(FailurePattern.OTHER.id());
    Optional<ControllerHandle> handle = directory.find(context.param("c"));
    return handle.isEmpty() || !isOne // what is invalid is reported by the change
        ? controllers.get(context)
        : pattern(handle.get(), cause).compose(_ -> controllers.get(context));
  }

  public Future<Response> pause(RequestContext context) {
    ControllerHandle handle = controllers.target(context, "pause");
    Body body = context.body();
    Undo undo = Undo.of(context, body);
    String reason = body.reason();
    Instant now = clock.instant();
    Duration duration = duration(body, now);
    String cause = cause(body);
    body.done();
    context.audit().reason(reason);
    if (undo != null) {
      return undone(context, handle, cause, undo);
    }
    PauseStore.Pause pause =
        new PauseStore.Pause(
            reason, context.actor(), now, duration == null ? null : now.plus(duration));
    PauseReset.record(context, cause);
    return cause == null
        ? controllers.settle(context, handle, () -> paused(context, handle, pause))
        : pattern(handle, cause)
            .compose(pattern ->
                controllers.settle(
                    context, handle, () -> causePaused(context, handle, pattern, pause)));
  }

  /** Returns the cause that a request is limited to; null for the whole controller. */
  private static @Nullable String cause(Body body) {
    String cause = body.text("cause", 1, 40);
    if (cause == null) {
      return null;
    }
    if (!CAUSE.matcher(cause).matches()) {
      body.fault("cause", "must be the id of a cause, 12 hexadecimal digits");
    } else if (cause.equals(FailurePattern.OTHER.id())) {
      body.fault(
          "cause", "stands for all causes beyond the most that are kept; pause the controller");
    }
    return cause;
  }

  /** Returns what the failures of a cause have in common; fails when this replica has not seen it. */
  private Future<FailurePattern> pattern(ControllerHandle handle, String cause) {
    return calls
        .call(handle, ControllerHandle::causes)
        .map(all ->
            all.stream()
                .filter(one -> one.id().equals(cause))
                .map(CauseSnapshot::pattern)
                .findFirst()
                .orElseThrow(() -> Causes.notFound(cause)));
  }

  private Future<Effect> paused(
      RequestContext context, ControllerHandle handle, PauseStore.Pause pause) {
    Optional<PauseStore.Pause> here = pauseOf(handle);
    if (directory.pauses().isEmpty() && here.isPresent() && here.get().isAs(pause)) {
      return Future.succeededFuture(Effect.ofPause(here, pause));
    }
    return kept(
            context,
            handle,
            store -> store.pause(handle.name(), pause),
            () -> calls.call(handle, h -> h.pause(pause.status())).map(here))
        .map(before -> recorded(context, handle, null, before, pause))
        .map(before -> Effect.ofPause(before, pause));
  }

  private Future<Effect> causePaused(
      RequestContext context,
      ControllerHandle handle,
      FailurePattern cause,
      PauseStore.Pause pause) {
    return kept(
            context,
            handle,
            store -> store.pauseCause(handle.name(), cause, pause),
            () -> {
              Map<FailurePattern, ControllerStatus.Pause> all =
                  new HashMap<>(handle.status().pausedCauses());
              Optional<PauseStore.Pause> before =
                  Optional.ofNullable(all.get(cause)).map(Pauses::of);
              if (before.isEmpty() && all.size() >= MAX_CAUSES) {
                return Future.failedFuture(
                    tooMany("it has " + MAX_CAUSES + " paused causes, the limit"));
              }
              if (before.isEmpty() || !before.get().isAs(pause)) {
                all.put(cause, pause.status());
              }
              return calls.call(handle, h -> h.pauseCauses(all)).map(before);
            })
        .map(before -> recorded(context, handle, cause.id(), before, pause))
        .map(before -> Effect.ofPause(before, pause));
  }

  /** Records the states before and after a change that was made, for its outcome. */
  private Optional<PauseStore.Pause> recorded(
      RequestContext context,
      ControllerHandle handle,
      @Nullable String cause,
      Optional<PauseStore.Pause> before,
      PauseStore.@Nullable Pause after) {
    PauseReset.record(
        context,
        cause,
        before.orElse(null),
        directory.pauses().isPresent() ? after : PauseReset.here(handle, cause));
    return before;
  }

  private Future<Response> undone(
      RequestContext context, ControllerHandle handle, @Nullable String cause, Undo undo) {
    return undone.restore(
        context,
        handle,
        cause,
        undo,
        id -> pattern(handle, id),
        failure -> failure instanceof Rejection ? failure : notStored(context, failure));
  }

  private static Rejection tooMany(String why) {
    return Problem.of(409, "too-many-pauses", "Too many pauses", why + "; end one of them first")
        .rejection();
  }

  private static PauseStore.Pause of(ControllerStatus.Pause pause) {
    return new PauseStore.Pause(pause.reason(), pause.by(), pause.since(), pause.until());
  }

  /** Returns the pause of a controller on this replica, if it is paused. */
  private static Optional<PauseStore.Pause> pauseOf(ControllerHandle handle) {
    return Optional.ofNullable(handle.status().pause()).map(Pauses::of);
  }

  /** Returns the duration of a pause, from its duration or its end; null for no end. */
  private static @Nullable Duration duration(Body body, Instant now) {
    Duration duration = body.duration("duration");
    if (duration != null && duration.isZero()) {
      body.fault("duration", "must be greater than 0; leave it out for no end");
    }
    String text = body.text("until", 1, 40);
    if (text == null) {
      return duration;
    }
    if (duration != null) {
      body.fault("until", "contradicts \"duration\"; leave one of them out");
    }
    try {
      Duration left = Duration.between(now, Instant.parse(text));
      if (!left.isPositive() || left.compareTo(Durations.MAX) > 0) {
        body.fault(
            "until",
            "must be later than now, "
                + Durations.shown(now)
                + ", by at most "
                + Durations.format(Durations.MAX));
      }
      return left;
    } catch (DateTimeParseException e) {
      body.fault("until", "must be a time as 2026-11-20T10:02:11Z, found \"" + text + "\"");
      return null;
    }
  }

  public Future<Response> resume(RequestContext context) {
    ControllerHandle handle = controllers.target(context, "resume");
    Body body = context.body();
    Undo undo = Undo.of(context, body);
    String reason = body.reason();
    String cause = cause(body);
    body.done();
    context.audit().reason(reason);
    if (undo != null) {
      return undone(context, handle, cause, undo);
    }
    PauseReset.record(context, cause);
    return controllers.settle(
        context,
        handle,
        () ->
            (cause == null ? resumed(context, handle) : causeResumed(context, handle, cause))
                .map(before -> recorded(context, handle, cause, before, null))
                .map(before ->
                    Effect.unless(
                        before.isEmpty(),
                        cause == null ? notPaused(handle) : "the cause is not paused")));
  }

  private Future<Optional<PauseStore.Pause>> resumed(
      RequestContext context, ControllerHandle handle) {
    Optional<PauseStore.Pause> here = pauseOf(handle);
    return kept(
        context,
        handle,
        store -> store.resume(handle.name()),
        () -> calls.call(handle, ControllerHandle::resume).map(here));
  }

  private Future<Optional<PauseStore.Pause>> causeResumed(
      RequestContext context, ControllerHandle handle, String cause) {
    return kept(
        context,
        handle,
        store -> store.resumeCause(handle.name(), cause),
        () -> {
          Map<FailurePattern, ControllerStatus.Pause> all =
              new HashMap<>(handle.status().pausedCauses());
          List<FailurePattern> named =
              all.keySet().stream().filter(one -> one.id().equals(cause)).toList();
          Optional<PauseStore.Pause> before =
              named.stream().findFirst().map(all::remove).map(Pauses::of);
          return calls.call(handle, h -> h.pauseCauses(all)).map(before);
        });
  }

  private static String notPaused(ControllerHandle handle) {
    Optional<PauseStore.Pause> here = pauseOf(handle);
    if (here.isPresent()) {
      return "no pause of it is stored, and it stays paused: " + here.get().reason();
    }
    List<String> causes =
        handle.status().pausedCauses().keySet().stream().map(FailurePattern::id).sorted().toList();
    return causes.isEmpty()
        ? "it is not paused"
        : "it is not paused, but causes of its failures are: " + String.join(", ", causes);
  }

  /**
   * Stores a pause, or its removal, for all replicas, and then applies the stored state here, which
   * another replica may have changed meanwhile.
   *
   * @param otherwise the action without a pause store
   * @return the pause before the change
   */
  private Future<Optional<PauseStore.Pause>> kept(
      RequestContext context,
      ControllerHandle handle,
      Function<PauseStore, Future<Optional<PauseStore.Pause>>> what,
      Supplier<Future<Optional<PauseStore.Pause>>> otherwise) {
    Optional<PauseStore> store = directory.pauses();
    if (store.isEmpty()) {
      return otherwise.get();
    }
    return what.apply(store.get())
        .recover(cause -> Future.failedFuture(notStored(context, cause)))
        // Not counted as a call: it takes effect on all replicas, and must not be refused here.
        .compose(before -> calls.onAdminLoop(handle, store.get().follow(handle)).map(before));
  }

  private static Rejection notStored(RequestContext context, Throwable cause) {
    if (cause instanceof PauseStore.LimitException limit) {
      return tooMany(String.valueOf(limit.getMessage()));
    }
    log.atWarn()
        .addKeyValue("requestId", context.id())
        .setCause(cause)
        .log("pause could not be stored");
    return Problem.unavailable(
            "pause-not-stored",
            "Pause not stored",
            "the API server did not confirm the write; unless only its response was"
                + " lost, nothing was changed on any replica: check before you try again")
        .rejection();
  }
}
