// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.OperationResource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records as JSON. */
class JsonValueTest {

  private static final String LONE = "a\uD800b";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "{\"kind\":\"ControllerList\"}",
        "{\"kind\":\"ControllerList\",\"items\":[{\"name\":\"a\"}]}",
        "{\"kind\":\"ControllerList\",\"items\":[{\"kind\":\"Controller\",\"name\":\"a\",\"replica\":\"r\"}]}",
        "{\"kind\":\"ControllerList\",\"items\":[],\"items\":[]}"
      })
  void valueWithoutARequiredComponent_isNone(String text) {
    assertThatThrownBy(() -> Json.read(text.getBytes(UTF_8), ControllerList.class))
        .isInstanceOf(IOException.class);
  }

  @Test
  void operationWithoutItsRequest_isNone() {
    String text =
        "{\"kind\":\"Operation\",\"id\":\"x\",\"controller\":\"c\",\"state\":\"Succeeded\",\"actor\":\"a\","
            + "\"reason\":\"r\",\"byResult\":[],\"members\":[]}";
    assertThatThrownBy(() -> Json.read(text.getBytes(UTF_8), OperationResource.class))
        .isInstanceOf(IOException.class);
    assertThat(
            read(text.replace("{\"kind\"", "{\"action\":\"retry\",\"selector\":{},\"kind\"")).id())
        .isEqualTo("x");
  }

  private static OperationResource read(String text) {
    try {
      return Json.read(text.getBytes(UTF_8), OperationResource.class);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void fieldsOfANewerVersion_areIgnored_andOptionalOnesMayBeAbsent() throws IOException {
    String text =
        "{\"kind\":\"Controller\",\"name\":\"a\",\"replica\":\"r\",\"state\":\"running\",\"newer\":{\"x\":[1]}}";
    assertThat(Json.read(text.getBytes(UTF_8), ControllerResource.class))
        .isEqualTo(ControllerResource.named("a", "r", "running").build());
  }

  @Test
  void textsAndNames_areAlwaysValid_andWhatIsNullIsLeftOut() {
    ControllerResource one =
        ControllerResource.named(LONE, "r", "running").counts(Map.of(LONE, 1L)).build();
    String text = Json.text(new ControllerList("r", List.of(one)));
    assertThat(text)
        .isEqualTo(
            "{\"kind\":\"ControllerList\",\"replica\":\"r\",\"items\":[{\"kind\":\"Controller\","
                + "\"name\":\"a\uFFFDb\",\"replica\":\"r\",\"state\":\"running\",\"counts\":{\"a\uFFFDb\":1}}]}");
  }
}
