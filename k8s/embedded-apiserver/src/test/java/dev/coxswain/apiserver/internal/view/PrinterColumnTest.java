// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cell shows the first match of its path, as the cells of a cluster do. */
class PrinterColumnTest {

  private static final String OBJECT =
      """
      {"spec": {"sizes": [1, 2], "parts": [{"name": "a", "on": true}, {"name": "b"}]},
       "status": {"conditions": [
        {"type": "Created", "status": "True"},
        {"type": "Running", "status": "False"},
        {"type": "Succeeded", "status": "True"},
        {"type": "Odd"}]}}\
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ".status.conditions[?(@.status==\"True\")].type | string | \"Created\"",
        ".status.conditions[?(@.status!=\"True\")].type | string | \"Running\"",
        ".status.conditions[?(@.type==\"Succeeded\")].status | string | \"True\"",
        ".status.conditions[*].type | string | \"Created\"",
        ".status.conditions[-1:].type | string | \"Odd\"",
        ".status.conditions[1:3].type | string | \"Running\"",
        ".status.conditions[7:].type | string | null",
        ".spec.parts[?(@.on)].name | string | \"a\"",
        ".spec.parts[?(@.off)].name | string | null",
        ".spec.sizes[*] | integer | 1",
        ".spec.sizes | string | \"[1,2]\"",
        ".spec.parts[*] | string | \"{\\\"name\\\":\\\"a\\\",\\\"on\\\":true}\"",
      })
  void columnWithSeveralMatches_showsTheFirst(String path, String type, String cell)
      throws Exception {
    ObjectMapper json = new ObjectMapper();

    assertThat(Cells.custom(JsonPath.parse(path).find(json.readTree(OBJECT)), type))
        .hasToString(cell);
  }
}
