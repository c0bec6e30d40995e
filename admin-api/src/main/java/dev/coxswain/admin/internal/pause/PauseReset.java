// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.pause;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.internal.resource.Effect;
import dev.coxswain.admin.internal.undo.PauseState;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Restores the pause, or its absence, that a controller or a cause of its failures had before a change.
 * Confined to the admin event loop.
 */
final class PauseReset {

  private final ControllerDirectory directory;
  private final Controllers controllers;
  private final ControllerCalls calls;

  PauseReset(ControllerDirectory directory, Controllers controllers, ControllerCalls calls) {
    this.directory = directory;
    this.controllers = controllers;
    this.calls = calls;
  }

  /**
   * A change of a pause, as audit records have it.
   *
   * @param cause null for the whole controller
   * @param pauseBefore null for none
   * @param pause null for none
   */
  private record PauseChange(
      @Nullable String cause,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable PauseState pauseBefore,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable PauseState pause) {}

  /** Records what is to be changed, for the intent: the states are large, and known for the outcome. */
  static void record(RequestContext context, @Nullable String cause) {
    context.audit().change(cause == null ? "" : Json.text(Json.object().put("cause", cause)));
  }

  /** Records a change of a pause with the states before and after it. */
  static void record(
      RequestContext context,
      @Nullable String cause,
      PauseStore.@Nullable Pause before,
      PauseStore.@Nullable Pause after) {
    context
        .audit()
        .change(
            Json.text(
                new PauseChange(
                    cause == null ? null : Json.line(cause, 40),
                    PauseState.of(before),
                    PauseState.of(after))));
  }

  /** Returns the pause of a controller, or of a cause of its failures, on this replica; null for none. */
  static PauseStore.@Nullable Pause here(ControllerHandle handle, @Nullable String cause) {
    ControllerStatus.Pause pause =
        cause == null
            ? handle.status().pause()
            : handle.status().pausedCauses().entrySet().stream()
                .filter(one -> one.getKey().id().equals(cause))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    return pause == null
        ? null
        : new PauseStore.Pause(pause.reason(), pause.by(), pause.since(), pause.until());
  }

  /**
   * Restores a state.
   *
   * @param cause the cause; null for the whole controller
   * @param pattern finds what the failures of the cause have in common
   * @param refused turns a failure of the store into a refusal
   */
  Future<Response> restore(
      RequestContext context,
      ControllerHandle handle,
      @Nullable String cause,
      Undo undo,
      Function<String, Future<FailurePattern>> pattern,
      Function<Throwable, Throwable> refused) {
    Optional<Undo.Part> part = undo.of(directory.replica());
    if (part.isEmpty()) {
      return controllers.settle(
          context,
          handle,
          () -> Effect.unless(true, "this replica took no part in that change"),
          () -> Future.failedFuture(new IllegalStateException("not made")));
    }
    PauseState expected = part.get().expectedAs(PauseState.class);
    PauseState sent = part.get().restoredAs(PauseState.class);
    PauseState restored = sent == null ? null : sent.restoredBy(context.actor());
    Future<Optional<FailurePattern>> known =
        cause == null || restored == null
            ? Future.succeededFuture(Optional.empty())
            : pattern.apply(cause).map(Optional::of);
    return known.compose(found -> {
      PauseStore.Restoration all =
          new PauseStore.Restoration(
              handle.name(),
              cause,
              found.orElse(null),
              expected == null ? null : expected.pause(),
              restored == null ? null : restored.pause());
      return controllers.settle(
          context,
          handle,
          () -> checked(context, handle, all, undo),
          () ->
              restored(handle, all)
                  .onSuccess(_ -> record(context, cause, all.expected(), all.pause()))
                  .recover(failure -> Future.failedFuture(refused.apply(failure))));
    });
  }

  /** Checks the state of this replica; where pauses are stored, only the store can decide. */
  private @Nullable Effect checked(
      RequestContext context, ControllerHandle handle, PauseStore.Restoration wanted, Undo undo) {
    record(context, wanted.cause());
    PauseState now = PauseState.of(here(handle, wanted.cause()));
    PauseState expected = PauseState.of(wanted.expected());
    boolean isStored = directory.pauses().isPresent();
    boolean same =
        (isStored && now != null) ? now.isNearly(expected) : Objects.equals(now, expected);
    if (!isStored && undo.dryRun() && Objects.equals(now, PauseState.of(wanted.pause()))) {
      return Effect.unless(true, "it is " + words(now) + " already"); // its process is another one
    }
    if (!same && (!isStored || undo.dryRun())) {
      throw Undo.superseded(words(now), words(expected));
    }
    return undo.dryRun()
        ? Effect.preview(words(expected) + " -> " + words(PauseState.of(wanted.pause())))
        : null;
  }

  private static String words(@Nullable PauseState pause) {
    return pause == null ? "not paused" : "paused " + pause.words();
  }

  private Future<Effect> restored(ControllerHandle handle, PauseStore.Restoration wanted) {
    Effect applied = Effect.unless(false, "");
    Optional<PauseStore> store = directory.pauses();
    if (store.isEmpty()) {
      return restoredHere(handle, wanted).map(applied);
    }
    return store
        .get()
        .restore(wanted)
        .recover(failure ->
            Future.failedFuture(
                failure instanceof PauseStore.ChangedException changed
                    ? Undo.superseded(
                        words(PauseState.of(changed.stored())),
                        words(PauseState.of(wanted.expected())))
                    : failure))
        .compose(_ -> calls.onAdminLoop(handle, store.get().follow(handle)))
        .map(_ -> applied);
  }

  private Future<Void> restoredHere(ControllerHandle handle, PauseStore.Restoration wanted) {
    PauseStore.Pause pause = wanted.pause();
    if (wanted.cause() == null) {
      return pause == null
          ? calls.call(handle, ControllerHandle::resume)
          : calls.call(handle, h -> h.pause(pause.status()));
    }
    Map<FailurePattern, ControllerStatus.Pause> all = new HashMap<>(handle.status().pausedCauses());
    all.keySet().removeIf(one -> one.id().equals(wanted.cause()));
    FailurePattern pattern = wanted.pattern();
    if (pause != null && pattern != null) {
      all.put(pattern, pause.status());
    }
    return calls.call(handle, h -> h.pauseCauses(all));
  }
}
