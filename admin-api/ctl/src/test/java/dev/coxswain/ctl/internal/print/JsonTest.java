// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void whatIsWritten_isWhatWasRead() throws IOException {
    String text =
        "{\"a\":[1,2.50,12345678901234567890,-3E+2],\"b\":{\"c\":null,\"d\":true},\"e\":\"x\\u0001\\\"\"}";
    assertThat(Json.parse(text)).hasToString(text.replace("-3E+2", "-300"));
  }

  @Test
  void whatIsNotThere_isEmptyAndNoError() throws IOException {
    Json json = Json.parse("{\"a\":{\"b\":7},\"n\":null}");
    assertThat(json.get("x").get("y").text("z")).isEmpty();
    assertThat(json.number("x")).isZero();
    assertThat(json.flag("a")).isFalse();
    assertThat(json.list("a")).isEmpty();
    assertThat(json.has("n")).isFalse();
    assertThat(json.get("a").text("b")).isEqualTo("7");
  }

  @Test
  void pretty_isIndentedAsKubectlDoes() throws IOException {
    assertThat(Json.parse("{\"a\":[1,{\"b\":2}],\"c\":\"d\"}").pretty())
        .isEqualTo(
            """
            {
                "a": [
                    1,
                    {
                        "b": 2
                    }
                ],
                "c": "d"
            }\
            """);
  }

  @Test
  void anObject_isMadeOfWhatIsThere() {
    assertThat(Json.object("a", 1, "b", null, "c", Json.object("d", true)))
        .hasToString("{\"a\":1,\"c\":{\"d\":true}}");
    assertThat(Json.object("a", 1).with("b", 2).without("a")).hasToString("{\"b\":2}");
  }

  @Test
  void whatIsNotJson_isRefused() {
    assertThatThrownBy(() -> Json.parse("<html>")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Json.parse("{} {}")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).isInstanceOf(IOException.class);
  }
}
