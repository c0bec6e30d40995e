// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.schema.Schema;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ConstraintsTest {

  /** Demands of one field each. */
  private record Fields(
      @Schema(nullable = true) String absent,
      @Schema(minLength = 2, maxLength = 9) String bounded) {}

  private static JsonObject schemaOf(String component) {
    JsonObject schema = JsonParser.parseString("{\"type\": \"string\"}").getAsJsonObject();
    for (var one : Fields.class.getRecordComponents()) {
      if (one.getName().equals(component)) {
        Constraints.add(schema, Objects.requireNonNull(one.getAnnotation(Schema.class), component));
      }
    }
    return schema;
  }

  @Test
  void aFieldThatMayBeNull_isNullable_andAnotherIsNot() {
    assertThat(schemaOf("absent"))
        .isEqualTo(JsonParser.parseString("{\"type\": \"string\", \"nullable\": true}"));
    assertThat(schemaOf("bounded").has("nullable")).isFalse();
  }

  @Test
  void lengths_areThoseOfTheAnnotation() {
    assertThat(schemaOf("bounded"))
        .isEqualTo(
            JsonParser.parseString("{\"type\": \"string\", \"minLength\": 2, \"maxLength\": 9}"));
  }
}
