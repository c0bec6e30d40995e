// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.kind.KindRules;
import dev.coxswain.apiserver.internal.status.Causes;
import java.io.IOException;
import java.util.List;

/**
 * The checks of an API server on CustomResourceDefinitions, without a server: names, versions,
 * structural schemas, keys of lists, defaults and CEL rules.
 *
 * <p>Thread rule: any thread.
 */
public final class DefinitionCheck {

  private DefinitionCheck() {}

  /**
   * Returns why an API server would refuse to create a definition, each with the path of the field;
   * empty when it would not.
   *
   * @param json the definition
   * @throws IllegalArgumentException when it is not a JSON object
   */
  public static List<String> problems(String json) {
    ObjectNode definition;
    try {
      if (!(Json.mapper().readTree(json) instanceof ObjectNode object)) {
        throw new IllegalArgumentException("a definition is a JSON object");
      }
      definition = object;
    } catch (IOException e) {
      throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
    }
    KindRules rules = KindRules.ofDefinitions();
    rules.defaults(definition);
    Causes causes = new Causes();
    rules.validate(null, causes.of(definition));
    return causes.stream().map(cause -> cause.field() + ": " + cause.message()).distinct().toList();
  }
}
