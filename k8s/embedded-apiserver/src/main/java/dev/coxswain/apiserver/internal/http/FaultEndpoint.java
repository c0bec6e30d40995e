// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.fault.FaultJson;
import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * {@code /coxswain/faults}: injects, lists and clears faults, whatever is broken. Not part of the
 * Kubernetes API; confined to the server's event loop.
 */
final class FaultEndpoint {
  private static final String PATH = "/coxswain/faults";

  private final Backend backend;
  private final FaultPlan plan;

  FaultEndpoint(Backend backend, FaultPlan plan) {
    this.backend = backend;
    this.plan = plan;
  }

  /** True for requests that are for this endpoint. */
  boolean serves(Exchange exchange) {
    String path = exchange.request().path();
    return path != null && (path.equals(PATH) || path.startsWith(PATH + "/"));
  }

  void handle(Exchange exchange) {
    authorize(exchange);
    String path = exchange.request().path();
    String id =
        path == null || path.length() <= PATH.length() ? "" : path.substring(PATH.length() + 1);
    switch (exchange.method()) {
      case "GET" -> {
        if (id.isEmpty()) {
          answer(exchange, 200, list());
        } else {
          answer(exchange, 200, FaultJson.print(find(id)));
        }
      }
      case "POST" -> {
        if (!id.isEmpty()) {
          throw ApiException.methodNotAllowed();
        }
        inject(exchange);
      }
      case "DELETE" -> {
        ObjectNode answer = Json.object();
        if (id.isEmpty()) {
          answer.put("cleared", plan.clear(fault -> true));
        } else {
          find(id);
          plan.clear(id);
          answer.put("cleared", 1);
        }
        answer(exchange, 200, answer);
      }
      default -> throw ApiException.methodNotAllowed();
    }
  }

  private void authorize(Exchange exchange) {
    Access.User user = backend.access().authenticate(exchange.request().headers());
    if (user == null) {
      throw ApiException.of(401, "Unauthorized", "Unauthorized", null);
    }
    String verb = exchange.method().toLowerCase(Locale.ROOT);
    if (!backend.access().allowed(user, new Access.Attributes(verb, "", "", "", "", "", PATH))) {
      throw ApiException.of(
          403,
          "Forbidden",
          "forbidden: User \"" + user.name() + "\" cannot " + verb + " path \"" + PATH + "\"",
          Json.object());
    }
  }

  private void inject(Exchange exchange) {
    // a web page of another origin cannot send this type without a preflight request
    if (!exchange.contentType().equals("application/json")
        || exchange.header("Content-Type") == null) {
      answer(exchange, 415, problem(415, "", "Content-Type must be application/json"));
      return;
    }
    try {
      Fault fault = FaultJson.parse(body(exchange));
      if (fault.effect() instanceof Effect.RefuseConnections
          && fault.duration().isZero()
          && fault.count() == 0) {
        throw new InvalidFaultException(
            "duration",
            "is required with refuseConnections (or count with mode reset), because no client could"
                + " take it back");
      }
      answer(exchange, 201, FaultJson.print(plan.add(fault)));
    } catch (InvalidFaultException e) {
      answer(exchange, 400, problem(400, e.field(), String.valueOf(e.getMessage())));
    }
  }

  private static JsonNode body(Exchange exchange) {
    try {
      return Json.mapper().readTree(exchange.bytes());
    } catch (JsonProcessingException e) {
      throw new InvalidFaultException("body", "is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new InvalidFaultException("body", "cannot be read: " + Json.firstLine(e));
    }
  }

  private ActiveFault find(String id) {
    List<ActiveFault> found = plan.active().stream().filter(f -> f.id().equals(id)).toList();
    if (found.isEmpty()) {
      throw ApiException.of(404, "NotFound", "no active fault has the id \"" + id + "\"", null);
    }
    return found.getFirst();
  }

  private ObjectNode list() {
    ObjectNode answer = Json.object();
    ArrayNode faults = answer.putArray("faults");
    plan.active().forEach(fault -> faults.add(FaultJson.print(fault)));
    return answer.put("openWatches", backend.watches().size());
  }

  private static ObjectNode problem(int status, String field, String message) {
    ObjectNode problem = Json.object().put("status", status);
    if (!field.isEmpty()) {
      problem.put("field", field);
    }
    return problem.put("message", message);
  }

  private static void answer(Exchange exchange, int status, ObjectNode tree) {
    exchange
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .putHeader("Cache-Control", "no-store");
    exchange.response().end(Buffer.buffer(Json.bytes(tree)));
  }
}
