// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused in definitions, and what their schemas do to objects. */
final class DefinitionRulesTest {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String ROOT = "spec.validation.openAPIV3Schema";

  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final Http http = OWN.http;

  /** A definition in JSON; {@code field} is the schema of {@code spec.x}. */
  private static String definition(String plural, String kind, String group, String field) {
    return """
    {"metadata":{"name":"%s.%s"},"spec":{"group":"%s","scope":"Namespaced",
     "names":{"plural":"%s","kind":"%s"},
     "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
       {"type":"object","properties":{"spec":{"type":"object","properties":{"x":%s}}}}}}]}}
    """
        .formatted(plural, group, group, plural, kind, field);
  }

  private static List<String> causes(Http.Answer answer) {
    List<String> causes = new ArrayList<>();
    for (JsonNode cause : answer.body().at("/details/causes")) {
      causes.add(
          cause.path("reason").asText()
              + " "
              + cause.path("field").asText()
              + ": "
              + cause.path("message").asText());
    }
    return causes;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|FieldValueRequired|.type|must not be empty for specified object fields",
        "{\"type\":\"array\"}|FieldValueRequired|.items|must be specified",
        "{\"type\":\"odd\"}|FieldValueNotSupported|.type|Unsupported value: \"odd\"",
        "{\"type\":\"string\",\"oneOf\":[{\"type\":\"string\"}]}|FieldValueForbidden|.oneOf[0].type|must be empty to be structural",
        "{\"type\":\"object\",\"anyOf\":[{\"properties\":{\"a\":{}}}]}|FieldValueRequired|.properties[a]|because it is defined in",
        "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"string\"}}|FieldValueForbidden|.uniqueItems|uniqueItems cannot be set to true",
        "{\"type\":\"integer\",\"default\":\"a\"}|FieldValueTypeInvalid|.default|must be of type integer",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":{\"type\":\"string\"}}|FieldValueForbidden|.additionalProperties|mutual exclusive",
        "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"items\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}}|FieldValueRequired|.x-kubernetes-list-map-keys|must not be empty",
        "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"n\"],\"items\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}}|FieldValueRequired|.items.properties[n].default|must have a default or be a required property",
        "{\"type\":\"string\",\"x-kubernetes-preserve-unknown-fields\":false}|FieldValueInvalid|.x-kubernetes-preserve-unknown-fields|must be true or undefined",
        "{\"type\":\"string\",\"x-kubernetes-validations\":[{\"rule\":\"self.url() == 1\"}]}|FieldValueInvalid|.x-kubernetes-validations[0].rule|compilation failed: ERROR: <input>:1:9: found no matching overload for 'url'",
        "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-kubernetes-validations\":[{\"rule\":\"self == oldSelf\"}]}}|FieldValueInvalid|.items.x-kubernetes-validations[0].rule|uncorrelatable",
      })
  void schemaThatCannotBeServed_isRefusedWhereItIsWrong(
      String field, String reason, String where, String why) {
    Http.Answer answer =
        http.post(DEFINITIONS, definition("wrongs", "Wrong", "r.example.com", field));
    assertThat(answer.status()).isEqualTo(422);
    assertThat(causes(answer))
        .anySatisfy(cause ->
            assertThat(cause)
                .startsWith(reason + " " + ROOT + ".properties[spec].properties[x]" + where + ": ")
                .contains(why));
    List<String> refused =
        causes(answer).stream()
            .map(cause -> cause.substring(cause.indexOf(' ') + 1))
            .distinct()
            .toList();
    assertThat(DefinitionCheck.problems(definition("wrongs", "Wrong", "r.example.com", field)))
        .as("the check without a server")
        .isEqualTo(refused);
  }

  @Test
  void aDefinitionThatCanBeServed_hasNoProblems() {
    assertThat(
            DefinitionCheck.problems(
                definition("fines", "Fine", "r.example.com", "{\"type\":\"string\"}")))
        .isEmpty();
    assertThat(DefinitionCheck.problems("{}")).isNotEmpty();
  }

  @Test
  void namesThatAreTaken_areRefusedUntilTheyAreFree() throws Exception {
    String any = "{\"type\":\"string\"}";
    http.post(DEFINITIONS, definition("firsts", "Same", "n.example.com", any));
    http.post(DEFINITIONS, definition("seconds", "Same", "n.example.com", any));
    String second = DEFINITIONS + "/seconds.n.example.com";
    Http.await(
        "conflict",
        () -> condition(second, "NamesAccepted").path("status").asText().equals("False"));
    assertThat(condition(second, "NamesAccepted").path("reason").asText())
        .isEqualTo("ListKindConflict");
    assertThat(condition(second, "Established").path("reason").asText()).isEqualTo("NotAccepted");
    http.delete(DEFINITIONS + "/firsts.n.example.com");
    Http.await(
        "established",
        () -> condition(second, "Established").path("status").asText().equals("True"));
    assertThat(http.get("/apis/n.example.com/v1/seconds").status()).isEqualTo(200);
  }

  private static JsonNode condition(String path, String type) {
    for (JsonNode condition : http.get(path).body().at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }

  /** Serves a kind of its own for one schema; returns the path of its objects. */
  private static String serve(String plural, String field) throws InterruptedException {
    String group = plural + ".example.com";
    Http.Answer made = http.post(DEFINITIONS, definition(plural, "Kind", group, field));
    assertThat(made.status()).as(made.body().toString()).isEqualTo(201);
    String path = "/apis/" + group + "/v1/namespaces/default/" + plural;
    Http.await("served", () -> http.get(path).status() == 200);
    return path;
  }

  private static Http.Answer create(String path, String name, String value) {
    String group = path.split("/", -1)[2];
    return http.post(
        path,
        "{\"apiVersion\":\"%s/v1\",\"kind\":\"Kind\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"x\":%s}}"
            .formatted(group, name, value));
  }

  @Test
  void setsAndKeyedLists_holdEveryItemOnce() throws Exception {
    String set =
        serve(
            "sets",
            "{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}}");
    assertThat(causes(create(set, "a", "[\"u\",\"v\",\"u\"]")))
        .containsExactly("FieldValueDuplicate spec.x[2]: Duplicate value: \"u\"");
    String map =
        serve(
            "maps",
            "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"n\"],"
                + "\"items\":{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":\"string\"}}}}");
    assertThat(causes(create(map, "a", "[{\"n\":\"1\"},{\"n\":\"1\"}]")))
        .containsExactly("FieldValueDuplicate spec.x[1]: Duplicate value: {\"n\":\"1\"}");
  }

  @Test
  void expression_saysReasonPathAndComputedMessage() throws Exception {
    String path =
        serve(
            "ranges",
            """
            {"type":"object","properties":{"lo":{"type":"integer"},"hi":{"type":"integer"}},
             "x-kubernetes-validations":[{"rule":"self.lo <= self.hi","fieldPath":".lo","reason":"FieldValueForbidden",
               "messageExpression":"'low ' + string(self.lo)"}]}
            """);
    assertThat(causes(create(path, "a", "{\"lo\":3,\"hi\":1}")))
        .containsExactly("FieldValueForbidden spec.x.lo: Forbidden: low 3");
    assertThat(create(path, "b", "{\"lo\":1,\"hi\":1}").status()).isEqualTo(201);
  }

  @Test
  void expressions_areLeftOutWhenTypesAreWrong_andSaySo() throws Exception {
    String path =
        serve(
            "blocked",
            "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
                + "\"x-kubernetes-validations\":[{\"rule\":\"self.n > 0\"}]}");
    assertThat(causes(create(path, "a", "{\"n\":\"one\"}")))
        .hasSize(2)
        .last()
        .asString()
        .startsWith("FieldValueInvalid <nil>: ")
        .contains("some validation rules were not checked");
  }

  @Test
  void transitionRule_followsItemsOfAKeyedListByTheirKeys() throws Exception {
    String path =
        serve(
            "keyed",
            """
            {"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
             "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},"v":{"type":"integer",
               "x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"must not shrink"}]}}}}
            """);
    create(path, "a", "[{\"n\":\"1\",\"v\":5},{\"n\":\"2\",\"v\":1}]");
    Http.Answer swapped =
        http.merge(path + "/a", "{\"spec\":{\"x\":[{\"n\":\"2\",\"v\":1},{\"n\":\"1\",\"v\":5}]}}");
    assertThat(swapped.status()).isEqualTo(200);
    Http.Answer shrunk = http.merge(path + "/a", "{\"spec\":{\"x\":[{\"n\":\"1\",\"v\":4}]}}");
    assertThat(causes(shrunk))
        .containsExactly("FieldValueInvalid spec.x[0].v: Invalid value: 4: must not shrink");
  }

  @Test
  void valueThatWasAcceptedBefore_staysAcceptedWhenItDoesNotChange() throws Exception {
    String path =
        serve("ratchets", "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}");
    create(path, "a", "{\"size\":99,\"note\":\"a\"}");
    String stricter =
        definition(
            "ratchets",
            "Kind",
            "ratchets.example.com",
            "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\",\"maximum\":5},\"note\":{\"type\":\"string\"}}}");
    assertThat(http.merge(DEFINITIONS + "/ratchets.ratchets.example.com", stricter).status())
        .isEqualTo(200);
    Http.await("stricter", () -> create(path, "b", "{\"size\":99}").status() == 422);
    assertThat(http.merge(path + "/a", "{\"spec\":{\"x\":{\"note\":\"b\"}}}").status())
        .isEqualTo(200);
    assertThat(http.merge(path + "/a", "{\"spec\":{\"x\":{\"size\":98}}}").status()).isEqualTo(422);
  }
}
