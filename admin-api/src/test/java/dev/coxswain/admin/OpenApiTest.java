// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.retry.RetryBudget;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The OpenAPI document is valid and describes exactly what there is. */
class OpenApiTest {

  private static final Set<String> METHODS = Set.of("get", "post", "patch", "put", "delete");

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private JsonNode served() {
    return api.get("/api/v1/openapi.json").ok(200);
  }

  private static JsonNode resource() throws IOException {
    try (var text =
        Objects.requireNonNull(OpenApi.class.getResourceAsStream("openapi.json"), "resource")) {
      return new ObjectMapper().readTree(text);
    }
  }

  private static Set<String> routes(JsonNode document) {
    Set<String> routes = new TreeSet<>();
    document
        .path("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .fieldNames()
                .forEachRemaining(method -> {
                  if (METHODS.contains(method)) {
                    routes.add(method.toUpperCase(java.util.Locale.ROOT) + " " + path.getKey());
                  }
                }));
    return routes;
  }

  @Test
  void everyMountedRoute_isDescribed() {
    assertThat(routes(served())).isEqualTo(api.mounted());
  }

  @Test
  void everyDescribedRoute_isMounted() throws IOException {
    assertThat(routes(resource())).isEqualTo(api.mounted());
  }

  @Test
  void theDocument_isValidOpenApi31() {
    // The validator knows few media types, and wants absolute addresses of servers.
    JsonObject document =
        new JsonObject(
            served()
                .toString()
                .replaceAll(
                    "application/(problem\\+json|merge-patch\\+json|json;as=Table)|text/event-stream",
                    "application/json"));
    document.remove("servers");
    var contract = OpenAPIContract.from(api.vertx, document).await();
    assertThat(contract.operations()).hasSameSizeAs(api.mounted());
  }

  @Test
  void pathParameters_areThoseOfThePath_andOperationIdsAreUnique() {
    JsonNode document = served();
    List<String> ids = new ArrayList<>();
    document
        .path("paths")
        .properties()
        .forEach(path -> {
          Set<String> inPath = new TreeSet<>();
          Pattern.compile("\\{([a-z]+)}")
              .matcher(path.getKey())
              .results()
              .forEach(m -> inPath.add(m.group(1)));
          Set<String> declared = new TreeSet<>();
          for (JsonNode reference : path.getValue().path("parameters")) {
            declared.add(at(document, reference).path("name").asText());
          }
          assertThat(declared).as(path.getKey()).isEqualTo(inPath);
          path.getValue().findValuesAsText("operationId").forEach(ids::add);
        });
    assertThat(ids).hasSameSizeAs(api.mounted()).doesNotHaveDuplicates();
  }

  private static JsonNode at(JsonNode document, JsonNode reference) {
    return document.at(reference.path("$ref").asText().substring(1));
  }

  @Test
  void everyChange_requiresAReason_exceptADryRun() {
    JsonNode document = served();
    document
        .path("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .properties()
                .forEach(operation -> {
                  if (METHODS.contains(operation.getKey()) && !operation.getKey().equals("get")) {
                    JsonNode body = operation.getValue().path("requestBody");
                    assertThat(body.path("required").asBoolean()).as(path.getKey()).isTrue();
                    JsonNode schema = at(document, body.at("/content/application~1json/schema"));
                    assertThat(schema.path("properties").has("reason")).isTrue();
                    assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
                    if (!schema.path("properties").has("dryRun")) {
                      assertThat(schema.path("required").toString()).contains("\"reason\"");
                    }
                  }
                }));
  }

  @Test
  void everyComponent_isUsed() {
    String document = served().toString();
    served()
        .path("components")
        .properties()
        .forEach(kind -> {
          if (!kind.getKey().equals("securitySchemes")) {
            kind.getValue()
                .fieldNames()
                .forEachRemaining(name ->
                    assertThat(
                            document.contains(
                                "\"#/components/" + kind.getKey() + "/" + name + "\""))
                        .as(name)
                        .isTrue());
          }
        });
  }

  @Test
  void problemTypes_areThoseOfTheGuide() throws IOException {
    Set<String> described = new TreeSet<>();
    for (JsonNode type : served().at("/components/schemas/Problem/properties/type/enum")) {
      described.add(type.asText().substring(Problem.TYPE_BASE.length()));
    }
    String guide =
        Files.readString(
            Path.of(System.getProperty("basedir", "."), "..", "docs", "reference", "admin-api.md"));
    Set<String> documented = new TreeSet<>();
    Pattern.compile("^\\| [0-9]{3}[^|]*\\|([^|]+)\\|", Pattern.MULTILINE)
        .matcher(guide)
        .results()
        .forEach(row ->
            Pattern.compile("`([a-z0-9-]+)`")
                .matcher(row.group(1))
                .results()
                .forEach(m -> documented.add(m.group(1))));
    assertThat(described).isEqualTo(documented);
  }

  @Test
  void anUndocumentedField_isNoticed() {
    Contract contract = new Contract(served().toString());
    JsonObject schema = new JsonObject().put("$ref", "#/$defs/Key");
    JsonObject key = new JsonObject().put("namespace", "a").put("name", "b");
    assertThat(contract.validate(schema, key).getValid()).isTrue();
    assertThat(contract.validate(schema, key.copy().put("more", 1)).getValid()).isFalse();
    assertThat(contract.validate(schema, new JsonObject().put("name", "b")).getValid()).isFalse();
    assertThat(contract.validate(schema, key.copy().put("name", 1)).getValid()).isFalse();
    schema = new JsonObject().put("$ref", "#/$defs/Time");
    assertThat(contract.validate(schema, "2026-11-20T10:00:00.5Z").getValid()).isTrue();
    assertThat(contract.validate(schema, "yesterday").getValid()).isFalse();
  }

  /** Limiter bounds are constants of RetryBudget; the document and the dashboard repeat them. */
  @Test
  void boundsOfLimiters_areThoseOfTheCode() throws IOException {
    JsonNode patch = resource().at("/components/schemas/LimiterPatch/properties");
    assertThat(patch.at("/rate/minimum").doubleValue()).isEqualTo(RetryBudget.MIN_CONFIGURED_RATE);
    assertThat(patch.at("/rate/maximum").doubleValue()).isEqualTo(RetryBudget.MAX_RATE);
    assertThat(patch.at("/burst/minimum").intValue()).isEqualTo(1);
    assertThat(patch.at("/burst/maximum").intValue()).isEqualTo(RetryBudget.MAX_BURST);
    try (var script =
        Objects.requireNonNull(
            OpenApi.class.getResourceAsStream("internal/dashboard/override.js"), "script")) {
      assertThat(new String(script.readAllBytes(), StandardCharsets.UTF_8))
          .contains(
              "min: " + RetryBudget.MIN_CONFIGURED_RATE + ", max: " + (long) RetryBudget.MAX_RATE,
              "min: 1, max: " + RetryBudget.MAX_BURST);
    }
  }
}
