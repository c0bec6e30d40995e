// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.Decoder;
import dev.coxswain.apiserver.internal.schema.TypeTable;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Options of a delete; immutable.
 *
 * @param dryRun answer as if done, store nothing
 * @param grace seconds until a pod is killed, null = the pod decides
 * @param propagation {@code Background}, {@code Foreground} or {@code Orphan}
 * @param uid precondition, empty = none
 * @param version precondition, empty = none
 */
public record DeleteOptions(
    boolean dryRun, @Nullable Long grace, String propagation, String uid, String version) {
  /** The options of a delete without options. */
  public static final DeleteOptions BACKGROUND =
      new DeleteOptions(false, null, "Background", "", "");

  /**
   * Reads the body, or without one the query; throws a 422 for unknown values, and a 400 for a body
   * that is something else.
   */
  public static DeleteOptions parse(
      @Nullable JsonNode body, Function<String, @Nullable String> query) {
    ObjectNode options = body == null ? fromQuery(query) : decoded(body);
    Causes causes = new Causes();
    String propagation = Json.text(options, "propagationPolicy");
    String orphan = options.path("orphanDependents").asText("");
    if (!orphan.isEmpty() && options.has("propagationPolicy")) {
      causes
          .at("propagationPolicy", propagation)
          .invalidText("orphanDependents and deletionPropagation cannot be both set");
    }
    boolean valid = List.of("Foreground", "Background", "Orphan").contains(propagation);
    if (options.has("propagationPolicy") && !valid) {
      causes
          .at("propagationPolicy", propagation)
          .notSupported("Foreground", "Background", "Orphan", "nil");
    }
    JsonNode dryRun = options.path("dryRun");
    if (dryRun.valueStream().anyMatch(value -> !value.asText().equals("All"))) {
      causes.at("dryRun").unsupported(dryRun.toString(), "All");
    }
    causes.throwIfAny(new ApiException.Names("meta.k8s.io", "DeleteOptions"), "");
    String effective =
        propagation.isEmpty() ? (orphan.equals("true") ? "Orphan" : "Background") : propagation;
    JsonNode preconditions = options.path("preconditions");
    JsonNode grace = options.get("gracePeriodSeconds");
    return new DeleteOptions(
        !dryRun.isEmpty(),
        grace == null ? null : grace.longValue(),
        effective,
        Json.text(preconditions, "uid"),
        Json.text(preconditions, "resourceVersion"));
  }

  private static ObjectNode decoded(JsonNode body) {
    if (!(body instanceof ObjectNode options)) {
      throw ApiException.badRequest(
          "couldn't get version/kind; json parse error: json: cannot unmarshal "
              + Json.goType(body)
              + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
              + " Kind string \"json:\\\"kind,omitempty\\\"\" }");
    }
    String kind = Json.text(options, "kind");
    String version = Json.text(options, "apiVersion");
    if (!kind.isEmpty() && !kind.equals("DeleteOptions")) {
      throw ApiException.badRequest(
          "no kind \"%s\" is registered for version \"%s\" in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go\""
              .formatted(kind, (version.isEmpty() ? "v1" : version)));
    }
    try {
      new Decoder("DeleteOptions").decode(options, TypeTable.type("DeleteOptions"));
    } catch (Decoder.DecodeException e) {
      throw ApiException.badRequest(
          String.valueOf(e.getMessage()).replace("of type int32", "of type int64"));
    }
    return options;
  }

  private static ObjectNode fromQuery(Function<String, @Nullable String> query) {
    ObjectNode options = Json.object();
    String dryRun = ListQuery.or(query.apply("dryRun"));
    if (!dryRun.isEmpty()) {
      options.putArray("dryRun").add(dryRun);
    }
    String propagation = query.apply("propagationPolicy");
    if (propagation != null) {
      options.put("propagationPolicy", propagation);
    }
    String orphan = query.apply("orphanDependents");
    if (orphan != null) {
      options.put("orphanDependents", ListQuery.flag(orphan));
    }
    String grace = query.apply("gracePeriodSeconds");
    if (grace != null) {
      try {
        options.put("gracePeriodSeconds", Long.parseLong(grace));
      } catch (NumberFormatException e) {
        throw ApiException.badRequest(
            "strconv.ParseInt: parsing \"" + grace + "\": invalid syntax");
      }
    }
    return options;
  }
}
