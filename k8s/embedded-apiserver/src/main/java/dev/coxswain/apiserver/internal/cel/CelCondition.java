// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.types.SimpleType;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A condition on requests, with the variables {@code request}, {@code object} and {@code oldObject}; immutable, any
 * thread.
 */
public final class CelCondition {
  private static final String KIND =
      "{\"type\":\"object\",\"properties\":{\"group\":{\"type\":\"string\"},"
          + "\"version\":{\"type\":\"string\"},\"%s\":{\"type\":\"string\"}}}";
  private static final String REQUEST =
      """
      {"type":"object","properties":{"kind":%1$s,"resource":%2$s,"subResource":{"type":"string"},
       "requestKind":%1$s,"requestResource":%2$s,"requestSubResource":{"type":"string"},
       "name":{"type":"string"},"namespace":{"type":"string"},"operation":{"type":"string"},
       "dryRun":{"type":"boolean"},"options":{"x-kubernetes-int-or-string":true},
       "userInfo":{"type":"object","properties":{"username":{"type":"string"},"uid":{"type":"string"},
         "groups":{"type":"array","items":{"type":"string"}},
         "extra":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}}}}}
      """
          .formatted(KIND.formatted("kind"), KIND.formatted("resource"));

  /** Made at the first condition. */
  private static final class Requests {
    static final CelShape SHAPE =
        Objects.requireNonNull(
            CelShape.of(Json.parse(REQUEST), "kubernetes.AdmissionRequest", false));
    static final CelEnvironment ENVIRONMENT =
        CelEnvironment.of(
            Map.of("request", SHAPE, "object", CelShape.DYN, "oldObject", CelShape.DYN));
  }

  private final CelProgram program;

  private CelCondition(CelProgram program) {
    this.program = program;
  }

  /** Compiles an expression; throws {@link CelException} for one that cannot be. */
  public static CelCondition compile(String expression) {
    return new CelCondition(
        Requests.ENVIRONMENT.compile(
            expression, SimpleType.BOOL, "must evaluate to bool but got %s"));
  }

  /**
   * Returns whether it holds; throws {@link CelException} when it cannot be evaluated.
   *
   * @param request the request as it is sent
   */
  public boolean holds(JsonNode request, JsonNode object, JsonNode oldObject) {
    Map<String, Object> variables = new HashMap<>();
    variables.put("request", Requests.SHAPE.value(request));
    variables.put("object", CelShape.DYN.value(object));
    variables.put("oldObject", CelShape.DYN.value(oldObject));
    return program.evaluate(variables).equals(true);
  }
}
