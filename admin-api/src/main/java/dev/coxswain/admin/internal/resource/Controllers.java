// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.http.Revisions;
import dev.coxswain.admin.internal.http.SerialExecutor;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ControllerResource.Throughput;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.view.ControllerStatus;
import io.vertx.core.Future;
import java.time.temporal.ChronoUnit;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of controllers. Confined to the admin event loop. */
public final class Controllers {

  private static final Logger log = LoggerFactory.getLogger(Controllers.class);

  private final ControllerDirectory directory;
  private final ControllerCalls calls;
  private final Statistics statistics;
  private final JsonWork work;
  private final ItemSlots slots;
  private final SerialExecutor turns = new SerialExecutor();

  public Controllers(
      ControllerDirectory directory,
      ControllerCalls calls,
      Statistics statistics,
      JsonWork work,
      ItemSlots slots) {
    this.directory = directory;
    this.calls = calls;
    this.statistics = statistics;
    this.work = work;
    this.slots = slots;
  }

  public Future<Response> list(RequestContext context) {
    context.query().done();
    Snapshot all = directory.snapshot();
    IdentityHashMap<ControllerHandle, Throughput> throughputs = new IdentityHashMap<>();
    for (ControllerHandle handle : all.running()) {
      throughputs.put(handle, statistics.throughput(handle.name()));
    }
    return work.run(
        JsonWork.isLong(throughputs.size()),
        () -> Response.ok(list(all, throughputs, context.id())));
  }

  /** Any thread. */
  private ControllerList list(
      Snapshot all, IdentityHashMap<ControllerHandle, Throughput> throughputs, String requestId) {
    TreeMap<String, ControllerResource> byName = new TreeMap<>();
    for (IdleController one : all.idle()) {
      byName.put(one.name(), ControllerView.idle(one, directory.replica()));
    }
    for (FailedController one : all.failed()) {
      byName.put(one.name(), ControllerView.failed(one, directory.replica()));
    }
    throughputs.forEach(
        (handle, throughput) -> byName.put(handle.name(), view(handle, throughput, requestId)));
    return new ControllerList(directory.replica(), List.copyOf(byName.values()));
  }

  /** A controller that cannot be read must not hide the others. */
  private ControllerResource view(
      ControllerHandle handle, Throughput throughput, String requestId) {
    try {
      return ControllerView.controller(handle, directory.replica(), throughput);
    } catch (RuntimeException e) {
      log.atWarn()
          .addKeyValue("controller", handle.name())
          .addKeyValue("requestId", requestId)
          .setCause(e)
          .log("state of a controller could not be read");
      return ControllerView.unreadable(handle.name(), directory.replica());
    }
  }

  public Future<Response> get(RequestContext context) {
    context.query().done();
    String name = context.param("c");
    Optional<ControllerHandle> handle = directory.find(name);
    if (handle.isPresent()) {
      return Future.succeededFuture(shown(handle.get()));
    }
    Snapshot all = directory.snapshot();
    return Future.succeededFuture(
        Response.ok(
            all.failed(name)
                .map(failed -> ControllerView.failed(failed, directory.replica()))
                .or(() -> all.idle(name).map(one -> ControllerView.idle(one, directory.replica())))
                .orElseThrow(() -> unknown(directory, name))));
  }

  /** Sets the maximum of concurrent attempts. */
  public Future<Response> scale(RequestContext context) {
    ControllerHandle handle = target(context, "setConcurrency");
    Body body = context.body();
    Undo undo = Undo.of(context, body);
    String reason = body.reason();
    Long concurrency = body.number("maxConcurrent", 1, ControllerOptions.MAX_CONCURRENCY);
    if (!body.has("maxConcurrent")) {
      body.fault("maxConcurrent", "is required; it is the only setting that can be changed here");
    }
    body.done();
    context.audit().reason(reason);
    int wanted = concurrency == null ? 1 : concurrency.intValue();
    Optional<Undo.Part> part = undo == null ? Optional.empty() : undo.of(directory.replica());
    Integer before = part.map(one -> one.restoredAs(Integer.class)).orElse(null);
    int value = before == null ? wanted : before;
    return settle(
        context,
        handle,
        () -> {
          int now = handle.status().concurrency();
          context.audit().change(Json.text(new Scaling(now, value)));
          return undo == null ? null : restoring(undo, part.orElse(null), now, value);
        },
        () -> {
          boolean same = handle.status().concurrency() == value;
          return calls
              .call(handle, h -> h.setConcurrency(value))
              .map(_ -> Effect.unless(same, "maxConcurrent is " + value + " already"));
        });
  }

  /** Checks whether the value that a change has set is still there; null when it is to be restored. */
  private static @Nullable Effect restoring(
      Undo undo, Undo.@Nullable Part part, int now, int value) {
    if (part == null) {
      return Effect.unless(true, "this replica took no part in that change");
    }
    if (now == value && undo.dryRun()) { // its process is another one, with what is configured
      return Effect.unless(true, "maxConcurrent is " + value + " already");
    }
    Integer expected = part.expectedAs(Integer.class);
    if (expected == null || expected != now) {
      throw Undo.superseded("maxConcurrent " + now, "maxConcurrent " + expected);
    }
    return undo.dryRun() ? Effect.preview("maxConcurrent " + now + " -> " + value) : null;
  }

  /** A change of the maximum of concurrent attempts, as audit records have it. */
  private record Scaling(int maxConcurrentBefore, int maxConcurrent) {}

  /** Changes a setting, unless the settings have another revision than If-Match. */
  public Future<Response> settle(
      RequestContext context, ControllerHandle handle, Supplier<Future<Effect>> change) {
    return settle(context, handle, () -> null, change);
  }

  /**
   * Changes a setting, unless the settings have another revision than If-Match.
   *
   * @param check runs in the turn of the change, and records what it changes; returns the effect of a
   *     change that is not to be made, or null
   */
  public Future<Response> settle(
      RequestContext context,
      ControllerHandle handle,
      Supplier<@Nullable Effect> check,
      Supplier<Future<Effect>> change) {
    String expected = Revisions.ifMatch(context.target().headerForPeers("If-Match"));
    return turns
        .inTurn(
            handle,
            () -> {
              checkRevision(handle, expected);
              Effect unmade = check.get();
              return unmade == null ? context.change(change) : Future.succeededFuture(unmade);
            })
        .map(effect -> effect.addTo(shown(handle)));
  }

  private static void checkRevision(ControllerHandle handle, @Nullable String expected) {
    String now = Revisions.of(handle);
    if (expected != null && !expected.equals(now)) {
      throw Problem.of(
              412,
              "controller-changed",
              "Controller changed",
              "its settings have changed since you read them; read the controller again before"
                  + " you change it")
          .withCurrent(Map.of("rev", now))
          .rejection();
    }
  }

  private Response shown(ControllerHandle handle) {
    ControllerResource shown =
        ControllerView.controller(
            handle, directory.replica(), statistics.throughput(handle.name()));
    return Response.ok(
        shown
            .withSlot(slots.ofController(handle.name()).flatMap(ItemSlot::shown).orElse(null))
            .withRev(Revisions.of(handle)));
  }

  /** Returns the controller in the path, for an action on it that has no parameters. */
  public ControllerHandle target(RequestContext context, String action) {
    context.audit().action(action);
    context.query().done();
    return running(context);
  }

  /** Returns the running controller in the path. */
  public ControllerHandle running(RequestContext context) {
    String name = context.param("c");
    context.audit().controller(name);
    return running(name);
  }

  /** Returns the running controller of a name; throws a {@link Rejection} when it does not run here. */
  public ControllerHandle running(String name) {
    ControllerHandle handle = directory.find(name).orElseThrow(() -> absent(directory, name));
    if (handle.status().state() == ControllerStatus.State.STOPPED) {
      throw ControllerCalls.stopped(name).rejection();
    }
    return handle;
  }

  /** Returns the refusal of a request for a controller that does not run here. */
  static Rejection absent(ControllerDirectory directory, String name) {
    Snapshot all = directory.snapshot();
    Optional<FailedController> failed = all.failed(name);
    if (failed.isPresent()) {
      String error = Json.line(failed.get().error(), Json.MAX_ERROR_TEXT);
      return ControllerCalls.stopped(name, error).rejection();
    }
    return all.idle(name)
        .map(controller -> ControllerView.idle(controller, directory.replica()))
        .map(part -> Unowned.refusal(List.of(part), List.of(PeerAnswer.self(directory.replica()))))
        .orElseGet(() -> unknown(directory, name));
  }

  private static Rejection unknown(ControllerDirectory directory, String name) {
    return Problem.of(
            404,
            "controller-not-found",
            "Controller not found",
            "no replica that answered has a controller \""
                + Json.line(name, 64)
                + "\""
                + directory.plugins().map(plugins -> ofPlugin(plugins, name)).orElse("")
                + "; GET /api/v1/controllers lists all controllers")
        .rejection();
  }

  /** Returns the plug-in that has or had a controller, in words; empty for none. */
  private static String ofPlugin(PluginDirectory plugins, String controller) {
    Optional<PluginDirectory.Plugin> present = withController(plugins.plugins(), controller);
    if (present.isPresent()) {
      return "; it is of plug-in \"%s\", which is %s since %s"
          .formatted(
              Json.line(present.get().name(), 64),
              present.get().phase().label(),
              present.get().since().truncatedTo(ChronoUnit.SECONDS));
    }
    return withController(plugins.removed(), controller)
        .map(plugin ->
            "; it was of plug-in \"%s\", whose files were removed at %s"
                .formatted(
                    Json.line(plugin.name(), 64), plugin.since().truncatedTo(ChronoUnit.SECONDS)))
        .orElse("");
  }

  private static Optional<PluginDirectory.Plugin> withController(
      List<PluginDirectory.Plugin> plugins, String controller) {
    return plugins.stream().filter(plugin -> plugin.controllers().contains(controller)).findFirst();
  }
}
