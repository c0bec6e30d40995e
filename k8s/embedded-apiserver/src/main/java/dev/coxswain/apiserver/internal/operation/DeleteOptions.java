// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.ArrayList;
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
  /** What a plain delete does. */
  public static final DeleteOptions BACKGROUND =
      new DeleteOptions(false, null, "Background", "", "");

  /**
   * Reads the body (may be null) and the query, which wins; throws a 422 for values it does not
   * know.
   */
  public static DeleteOptions parse(
      @Nullable JsonNode body, Function<String, @Nullable String> query) {
    JsonNode options = body == null ? Json.object() : body;
    List<Cause> causes = new ArrayList<>();
    String dryRun = or(query.apply("dryRun"), options.path("dryRun").path(0).asText(""));
    if (!dryRun.isEmpty() && !dryRun.equals("All")) {
      causes.add(Cause.notSupported("dryRun", "[" + Cause.quote(dryRun) + "]", "\"All\""));
    }
    String propagation =
        or(query.apply("propagationPolicy"), Json.text(options, "propagationPolicy"));
    if (!List.of("", "Foreground", "Background", "Orphan").contains(propagation)) {
      causes.add(
          Cause.notSupported(
              "propagationPolicy",
              Cause.quote(propagation),
              "\"Foreground\", \"Background\", \"Orphan\", \"nil\""));
    }
    String orphan =
        or(query.apply("orphanDependents"), options.path("orphanDependents").asText(""));
    if (!orphan.isEmpty() && !propagation.isEmpty()) {
      causes.add(
          Cause.invalidText(
              "propagationPolicy",
              propagation,
              "orphanDependents and deletionPropagation cannot be both set"));
    }
    if (!causes.isEmpty()) {
      throw ApiException.invalid(
          new ApiException.Names("meta.k8s.io", "DeleteOptions"), "", causes);
    }
    String effective =
        propagation.isEmpty() ? (orphan.equals("true") ? "Orphan" : "Background") : propagation;
    JsonNode preconditions = options.path("preconditions");
    return new DeleteOptions(
        !dryRun.isEmpty(),
        grace(query.apply("gracePeriodSeconds"), options),
        effective,
        Json.text(preconditions, "uid"),
        Json.text(preconditions, "resourceVersion"));
  }

  private static @Nullable Long grace(@Nullable String query, JsonNode options) {
    if (query != null) {
      try {
        return Long.valueOf(query);
      } catch (NumberFormatException e) {
        throw ApiException.badRequest(
            "strconv.ParseInt: parsing \"" + query + "\": invalid syntax");
      }
    }
    JsonNode value = options.get("gracePeriodSeconds");
    return value != null && value.isNumber() ? value.longValue() : null;
  }

  private static String or(@Nullable String first, String second) {
    return first != null ? first : second;
  }
}
