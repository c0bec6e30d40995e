// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.table.TableRequest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The description of this API (OpenAPI 3.1): a resource with the particulars of each route,
 * completed with the common parts from the table of routes. Only mounted routes are described.
 * Confined to the admin event loop; the document is created once, on a worker thread.
 */
final class OpenApi {

  private static final List<Integer> EVERY_ROUTE =
      List.of(400, 401, 403, 406, 414, 421, 429, 431, 500, 503);
  private static final List<Integer> EVERY_CHANGE = List.of(408, 409, 413, 415, 422);

  private final List<Endpoint> table;
  private final Vertx vertx;
  private @Nullable Future<@Nullable Buffer> made; // the nullable type is that of blocking calls

  OpenApi(List<Endpoint> table, Vertx vertx) {
    this.table = table;
    this.vertx = vertx;
  }

  Future<Response> get(RequestContext context) {
    context.query().done();
    Future<@Nullable Buffer> document = made;
    if (document == null) {
      // Reading and writing the document would block the event loop for too long.
      document = vertx.executeBlocking(() -> Buffer.buffer(Json.write(document(table))));
      made = document;
    }
    return document.map(text ->
        Response.stream(
            "application/json", response -> response.end(Objects.requireNonNull(text, "text"))));
  }

  static ObjectNode document(List<Endpoint> table) {
    ObjectNode document = resource();
    ObjectNode paths = object(document, "paths");
    ObjectNode mounted = Json.object();
    for (Endpoint endpoint : table) {
      String method = endpoint.method().name().toLowerCase(Locale.ROOT);
      if (paths.path(endpoint.path()).get(method) instanceof ObjectNode operation) {
        ObjectNode path = mounted.withObjectProperty(endpoint.path());
        if (paths.path(endpoint.path()).get("parameters") instanceof ArrayNode parameters) {
          path.set("parameters", parameters);
        }
        path.set(method, operation);
        complete(operation, endpoint);
      }
    }
    document.set("paths", mounted);
    // The item with the selected "fields".
    ObjectNode schemas = object(object(document, "components"), "schemas");
    ObjectNode partial = object(schemas, "QueuedItem").deepCopy();
    partial.put("description", "An item with the requested fields.");
    partial.remove("required");
    schemas.set("PartialItem", partial);
    return document;
  }

  private static void complete(ObjectNode operation, Endpoint endpoint) {
    ObjectNode responses = object(operation, "responses");
    EVERY_ROUTE.forEach(status -> problem(responses, status));
    if (endpoint.mutating()) {
      EVERY_CHANGE.forEach(status -> problem(responses, status));
      parameter(operation, "idempotencyKey");
    }
    if (endpoint.kind() == Endpoint.Kind.CONDITIONAL_CHANGE) {
      problem(responses, 428);
    }
    if (endpoint.produces().contains(TableRequest.TYPE)) {
      responses
          .withObject("/200/content")
          .putObject(TableRequest.TYPE)
          .putObject("schema")
          .put("$ref", "#/components/schemas/Table");
    }
    if (isList(responses)) {
      responses.putObject("304").put("$ref", "#/components/responses/NotModified");
      parameter(operation, "ifNoneMatch");
    }
  }

  private static boolean isList(ObjectNode responses) {
    return responses.at("/200/content/application~1json/schema/$ref").asText().endsWith("List");
  }

  private static void parameter(ObjectNode operation, String name) {
    operation
        .withArrayProperty("parameters")
        .addObject()
        .put("$ref", "#/components/parameters/" + name);
  }

  private static void problem(ObjectNode responses, int status) {
    responses
        .withObjectProperty(Integer.toString(status))
        .put("$ref", "#/components/responses/Problem" + status);
  }

  private static ObjectNode object(ObjectNode parent, String field) {
    return (ObjectNode) parent.required(field);
  }

  private static ObjectNode resource() {
    try (InputStream text = OpenApi.class.getResourceAsStream("openapi.json")) {
      if (text == null || !(Json.read(text.readAllBytes()) instanceof ObjectNode document)) {
        throw new IllegalStateException("openapi.json is missing in the jar");
      }
      return document;
    } catch (IOException e) {
      throw new UncheckedIOException("openapi.json in the jar cannot be read", e);
    }
  }
}
