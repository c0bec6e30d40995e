// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.ControllerDirectory.FailedController;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.controller.ControllerStatus;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers for controllers as a whole. Confined to the admin event loop. */
final class Controllers {

  private static final Logger log = LoggerFactory.getLogger(Controllers.class);

  private final ControllerDirectory directory;
  private final Calls calls;
  private final Statistics statistics;

  Controllers(ControllerDirectory directory, Calls calls, Statistics statistics) {
    this.directory = directory;
    this.calls = calls;
    this.statistics = statistics;
  }

  Future<Reply> list(Exchange exchange) {
    exchange.query().done();
    TreeMap<String, ObjectNode> byName = new TreeMap<>();
    for (FailedController failed : directory.failed()) {
      byName.put(failed.name(), ControllerView.failed(failed, directory.replica()));
    }
    for (ControllerHandle handle : directory.controllers()) {
      byName.put(handle.name(), view(handle, exchange));
    }
    ObjectNode json = Json.object();
    json.put("kind", "ControllerList");
    json.put("replica", directory.replica());
    ArrayNode items = json.putArray("items");
    byName.values().forEach(items::add);
    return Future.succeededFuture(Reply.ok(json));
  }

  /** One controller that cannot be read must not hide the others. */
  private ObjectNode view(ControllerHandle handle, Exchange exchange) {
    try {
      return shown(handle);
    } catch (RuntimeException e) {
      log.atWarn()
          .addKeyValue("controller", handle.name())
          .addKeyValue("requestId", exchange.id())
          .setCause(e)
          .log("State of a controller could not be read");
      return ControllerView.unreadable(handle.name(), directory.replica());
    }
  }

  Future<Reply> get(Exchange exchange) {
    exchange.query().done();
    String name = exchange.param("c");
    Optional<ControllerHandle> handle = directory.find(name);
    if (handle.isPresent()) {
      return Future.succeededFuture(Reply.ok(shown(handle.get())));
    }
    FailedController failed = failed(name).orElseThrow(() -> unknown(name));
    return Future.succeededFuture(Reply.ok(ControllerView.failed(failed, directory.replica())));
  }

  Future<Reply> pause(Exchange exchange) {
    ControllerHandle handle = target(exchange, "pause");
    Body body = exchange.body();
    String reason = body.reason();
    Duration duration = body.duration("duration");
    if (duration != null && duration.isZero()) {
      body.fault("duration", "must be longer than nothing; leave it out for no end");
    }
    body.done();
    exchange.audit().reason(reason);
    return then(handle, calls.ask(handle, h -> h.pause(reason, duration)));
  }

  Future<Reply> resume(Exchange exchange) {
    ControllerHandle handle = target(exchange, "resume");
    Body body = exchange.body();
    String reason = body.reason();
    body.done();
    exchange.audit().reason(reason);
    return then(handle, calls.ask(handle, ControllerHandle::resume));
  }

  Future<Reply> patch(Exchange exchange) {
    ControllerHandle handle = target(exchange, "setConcurrency");
    Body body = exchange.body();
    String reason = body.reason();
    Long concurrency = body.number("maxConcurrent", 1, ControllerOptions.MAX_CONCURRENCY);
    if (!body.has("maxConcurrent")) {
      body.fault("maxConcurrent", "is required; nothing else can be changed here");
    }
    body.done();
    exchange.audit().reason(reason);
    int value = concurrency == null ? 1 : concurrency.intValue();
    return then(handle, calls.ask(handle, h -> h.setConcurrency(value)));
  }

  private Future<Reply> then(ControllerHandle handle, Future<Void> done) {
    return done.map(nothing -> Reply.ok(shown(handle)));
  }

  private ObjectNode shown(ControllerHandle handle) {
    ObjectNode json = ControllerView.controller(handle, directory.replica());
    json.set("throughput", statistics.throughput(handle.name()));
    return json;
  }

  private ControllerHandle target(Exchange exchange, String action) {
    exchange.audit().action(action);
    exchange.query().done();
    return running(exchange);
  }

  /** Returns the running controller that the address names. */
  ControllerHandle running(Exchange exchange) {
    String name = exchange.param("c");
    exchange.audit().controller(name);
    ControllerHandle handle =
        directory
            .find(name)
            .orElseThrow(
                () -> failed(name).isPresent() ? Calls.stopped(name).rejection() : unknown(name));
    if (handle.status().state() == ControllerStatus.State.STOPPED) {
      throw Calls.stopped(name).rejection();
    }
    return handle;
  }

  private Optional<FailedController> failed(String name) {
    return directory.failed().stream()
        .filter(controller -> controller.name().equals(name))
        .max(Comparator.comparing(FailedController::failedAt));
  }

  static Rejection unknown(String name) {
    return Problem.of(
            404,
            "controller-not-found",
            "Controller not found",
            "this replica has no controller \""
                + Json.line(name, 64)
                + "\"; GET /api/v1/controllers lists those it has")
        .rejection();
  }
}
