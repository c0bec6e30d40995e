// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The value that the rules of one node of a schema are about; immutable, any thread. */
final class CelScope {
  private final JsonNode schema;
  private final boolean resource;
  private @Nullable CelShape shape;
  private @Nullable CelEnvironment plain;
  private @Nullable CelEnvironment optional;

  CelScope(JsonNode schema, boolean resource) {
    this.schema = schema;
    this.resource = resource;
  }

  /** Returns the rules of a node of a schema; nothing is compiled before it is used. */
  static List<CelRule> rules(JsonNode schema, boolean resource) {
    List<CelRule> rules = new ArrayList<>();
    CelScope scope = new CelScope(schema, resource);
    schema.path("x-kubernetes-validations").forEach(rule -> rules.add(new CelRule(rule, scope)));
    return List.copyOf(rules);
  }

  /** Returns what expressions may do with the value; throws {@link CelException} when they can do nothing. */
  synchronized CelShape shape() {
    if (shape == null) {
      boolean whole = resource || schema.path("x-kubernetes-embedded-resource").asBoolean();
      shape = CelShape.of(schema, "selfType", whole);
    }
    if (shape == null) {
      throw new CelException("unable to convert structural schema to CEL declarations");
    }
    return shape;
  }

  /** Returns the type that the schema names. */
  String schemaType() {
    return Json.text(schema, "type");
  }

  /** Returns the variables; the state before is optional when the rule says so. */
  synchronized CelEnvironment environment(boolean optionalOld) {
    CelEnvironment found = optionalOld ? optional : plain;
    if (found == null) {
      CelShape self = shape();
      found =
          CelEnvironment.of(Map.of("self", self, "oldSelf", optionalOld ? self.optional() : self));
      if (optionalOld) {
        optional = found;
      } else {
        plain = found;
      }
    }
    return found;
  }
}
