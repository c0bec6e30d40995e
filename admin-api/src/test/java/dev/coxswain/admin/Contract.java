// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The served OpenAPI document as a judge of answers: the status must be documented for the route,
 * the media type for the status, and the body must match its schema, without any other field.
 */
public final class Contract {

  private static final String PROBLEM = "application/problem+json";
  private static final JsonObject PROBLEM_SCHEMA = new JsonObject().put("$ref", "#/$defs/Problem");

  private final JsonObject document;
  private final JsonObject definitions;
  private final Map<String, Pattern> paths = new ConcurrentHashMap<>();
  private final Map<JsonObject, Validator> validators = new ConcurrentHashMap<>();

  public Contract(String text) {
    // Bundled under the keyword of JSON Schema itself, so that the validator finds them.
    document = new JsonObject(text.replace("#/components/schemas/", "#/$defs/"));
    definitions = document.getJsonObject("components").getJsonObject("schemas").copy();
    forbidOthers(definitions);
    for (String path : document.getJsonObject("paths").fieldNames()) {
      paths.put(path, Pattern.compile(path.replaceAll("\\{[a-z]+}", "[^/]+") + "/?"));
    }
  }

  /** Answers may grow for clients, but not behind the back of the document. */
  private static void forbidOthers(Object node) {
    if (node instanceof JsonObject object) {
      if (object.getValue("properties") instanceof JsonObject
          && !object.containsKey("additionalProperties")) {
        object.put("additionalProperties", false);
      }
      object.fieldNames().stream().toList().forEach(name -> forbidOthers(object.getValue(name)));
    } else if (node instanceof JsonArray array) {
      for (int i = 0; i < array.size(); i++) {
        forbidOthers(array.getValue(i));
      }
    }
  }

  public JsonObject document() {
    return document;
  }

  /** Throws when an answer is not what the document promises. */
  public void check(HttpResponse<String> answer) {
    String method = answer.request().method();
    String path = answer.request().uri().getRawPath();
    String type = answer.headers().firstValue("Content-Type").orElse("");
    String what = method + " " + path + " -> " + answer.statusCode() + " " + answer.body();
    Optional<String> template =
        paths.entrySet().stream()
            .filter(entry -> entry.getValue().matcher(path).matches())
            .map(Map.Entry::getKey)
            .min(java.util.Comparator.comparingLong(t -> t.chars().filter(c -> c == '{').count()));
    JsonObject operation =
        template
            .map(t -> document.getJsonObject("paths").getJsonObject(t))
            .map(p ->
                p.getJsonObject(method.equals("HEAD") ? "get" : method.toLowerCase(Locale.ROOT)))
            .orElse(null);
    if (operation == null) {
      Set<Integer> common = Set.of(400, 401, 404, 405, 421, 429, 503);
      require(type.equals(PROBLEM) && common.contains(answer.statusCode()), what);
      checkBody(PROBLEM_SCHEMA, answer.body(), what);
      return;
    }
    JsonObject response =
        operation.getJsonObject("responses").getJsonObject(String.valueOf(answer.statusCode()));
    require(response != null, "undocumented status: " + what);
    response = resolved(response);
    JsonObject content = response.getJsonObject("content");
    if (content == null || method.equals("HEAD")) {
      require(answer.body().isEmpty(), "a body where none is: " + what);
      return;
    }
    require(content.containsKey(type), "undocumented media type " + type + ": " + what);
    JsonObject schema = content.getJsonObject(type).getJsonObject("schema");
    checkBody(schema, answer.body(), what);
  }

  private JsonObject resolved(JsonObject response) {
    String ref = response.getString("$ref");
    return ref == null
        ? response
        : document
            .getJsonObject("components")
            .getJsonObject("responses")
            .getJsonObject(ref.substring(ref.lastIndexOf('/') + 1));
  }

  private void checkBody(JsonObject schema, String body, String what) {
    OutputUnit result = validate(schema, Json.decodeValue(body));
    require(Boolean.TRUE.equals(result.getValid()), result.getErrors() + ": " + what);
  }

  /** Judges a value by a schema of the document. */
  public OutputUnit validate(JsonObject schema, @Nullable Object value) {
    return validators
        .computeIfAbsent(
            schema,
            s ->
                Validator.create(
                    JsonSchema.of(s.copy().put("$defs", definitions)),
                    new JsonSchemaOptions()
                        .setBaseUri("https://coxswain.dev/")
                        .setDraft(Draft.DRAFT202012)
                        .setOutputFormat(OutputFormat.Basic)))
        .validate(value);
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError("against the OpenAPI document: " + what);
    }
  }
}
