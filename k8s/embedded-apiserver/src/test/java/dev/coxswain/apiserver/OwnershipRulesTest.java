// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who owns which fields after updates and server-side apply, status included. */
final class OwnershipRulesTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps/";
  private static final String BOATS = "/apis/own.example.com/v1/namespaces/default/boats/";
  private static final String BOAT = "own.example.com/v1\",\"kind\":\"Boat";

  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final EmbeddedApiServer server = OWN.server;
  private static final Http http = OWN.http;

  @BeforeAll
  static void start() {
    server.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: boats.own.example.com}
        spec:
          group: own.example.com
          scope: Namespaced
          names: {kind: Boat, plural: boats}
          versions:
          - name: v1
            served: true
            storage: true
            subresources: {status: {}}
            schema:
              openAPIV3Schema:
                type: object
                properties:
                  spec:
                    type: object
                    properties:
                      crew:
                        type: array
                        x-kubernetes-list-type: map
                        x-kubernetes-list-map-keys: [name, watch]
                        items:
                          type: object
                          required: [name]
                          properties:
                            name: {type: string}
                            watch: {type: string, default: first}
                            rank: {type: string}
                      flags:
                        type: array
                        x-kubernetes-list-type: set
                        items: {type: string}
                  status:
                    type: object
                    properties:
                      ready: {type: boolean}
                      conditions:
                        type: array
                        x-kubernetes-list-type: map
                        x-kubernetes-list-map-keys: [type]
                        items:
                          type: object
                          required: [type]
                          properties: {type: {type: string}, status: {type: string}}
        """);
  }

  private static Http.Answer apply(String path, String manager, String type, String rest) {
    String name = path.replaceFirst("/status$", "").replaceFirst(".*/", "");
    String body =
        "{\"apiVersion\":\"%s\",\"metadata\":{\"name\":\"%s\"}%s}".formatted(type, name, rest);
    return http.call(
        "PATCH", path + "?fieldManager=" + manager, body, "application/apply-patch+yaml");
  }

  private static Http.Answer applyMap(String name, String manager, String data) {
    return apply(MAPS + name, manager, "v1\",\"kind\":\"ConfigMap", ",\"data\":{" + data + "}");
  }

  /** As in {@code m/Apply/status}. */
  private static List<String> managers(Http.Answer answer) {
    List<String> all = new ArrayList<>();
    for (JsonNode entry : answer.body().at("/metadata/managedFields")) {
      String subresource = entry.path("subresource").asText();
      all.add(
          entry.path("manager").asText()
              + "/"
              + entry.path("operation").asText()
              + (subresource.isEmpty() ? "" : "/" + subresource));
    }
    return all;
  }

  @Test
  void appliedStatus_isOwned_andWhatItsManagerDropsIsRemoved() {
    apply(BOATS + "a", "captain", BOAT, ",\"spec\":{\"flags\":[\"x\"]}");
    Http.Answer first =
        apply(
            BOATS + "a/status",
            "mate",
            BOAT,
            ",\"status\":{\"ready\":true,\"conditions\":[{\"type\":\"A\"},{\"type\":\"B\"}]}");
    assertThat(managers(first)).containsExactly("captain/Apply", "mate/Apply/status");
    Http.Answer second =
        apply(BOATS + "a/status", "mate", BOAT, ",\"status\":{\"conditions\":[{\"type\":\"B\"}]}");
    assertThat(second.body().path("status").toString())
        .isEqualTo("{\"conditions\":[{\"type\":\"B\"}]}");
    assertThat(second.body().at("/spec/flags")).hasSize(1);
  }

  @Test
  void appliedStatus_ofAnotherManager_isAConflict_butAnotherConditionIsNot() {
    String ready = ",\"status\":{\"ready\":true,\"conditions\":[{\"type\":\"A\"}]}";
    apply(BOATS + "b", "captain", BOAT, ",\"spec\":{}");
    apply(BOATS + "b/status", "mate", BOAT, ready);
    Http.Answer other =
        apply(BOATS + "b/status", "cook", BOAT, ",\"status\":{\"conditions\":[{\"type\":\"B\"}]}");
    assertThat(other.body().at("/status/conditions")).hasSize(2);
    Http.Answer conflict = apply(BOATS + "b/status", "cook", BOAT, ",\"status\":{\"ready\":false}");
    assertThat(conflict.status()).isEqualTo(409);
    assertThat(conflict.body().path("message").asText())
        .isEqualTo(
            "Apply failed with 1 conflict: conflict with \"mate\" with subresource \"status\": .status.ready");
  }

  @Test
  void oneEmptyEntry_takesAllOwnersAway_andNobodyIsTrackedUntilSomebodyApplies() {
    applyMap("reset", "one", "\"a\":\"1\"");
    String empty = "[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[{}]}]";
    assertThat(managers(http.call("PATCH", MAPS + "reset", empty, "application/json-patch+json")))
        .isEmpty();
    assertThat(managers(http.merge(MAPS + "reset", "{\"data\":{\"b\":\"2\"}}"))).isEmpty();
    Http.Answer conflict = applyMap("reset", "two", "\"a\":\"3\"");
    assertThat(conflict.status()).isEqualTo(409);
    assertThat(conflict.body().path("message").asText())
        .contains("conflict with \"before-first-apply\" using v1: .data.a");
    assertThat(managers(applyMap("reset", "two", "\"c\":\"3\"")))
        .containsExactly("two/Apply", "before-first-apply/Update");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]",
        "[{\"manager\":\"x\",\"operation\":\"Guess\"}]",
        "[{\"manager\":\"x\",\"operation\":\"Update\",\"apiVersion\":\"v1\"}]",
      })
  void ownersThatCannotBeRead_leaveThoseOfBefore(String owners) {
    applyMap("kept", "one", "\"a\":\"1\"");
    String body =
        "{\"metadata\":{\"name\":\"kept\",\"managedFields\":"
            + owners
            + "},\"data\":{\"a\":\"1\"}}";
    Http.Answer answer = http.call("PUT", MAPS + "kept", body, "application/json");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(managers(answer)).containsExactly("one/Apply");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"crew\":[{\"name\":\"a\"},{\"name\":\"a\"}]|.spec.crew: duplicate entries for key [name=\"a\",watch=\"first\"]",
        "\"flags\":[\"q\",\"q\"]|.spec.flags: duplicate entries for key [=\"q\"]",
      })
  void configurationWithAmbiguousItems_isRefused(String spec, String why) {
    Http.Answer answer = apply(BOATS + "ambiguous", "one", BOAT, ",\"spec\":{" + spec + "}");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body().path("message").asText())
        .isEqualTo(
            "failed to create typed patch object (/ambiguous; own.example.com/v1, Kind=Boat): "
                + why);
  }

  @Test
  void keyWithADefault_namesTheSameItemWhetherItIsGivenOrNot() {
    apply(BOATS + "keys", "one", BOAT, ",\"spec\":{\"crew\":[{\"name\":\"a\"}]}");
    Http.Answer answer =
        apply(
            BOATS + "keys",
            "two",
            BOAT,
            ",\"spec\":{\"crew\":[{\"name\":\"a\",\"watch\":\"first\",\"rank\":\"r\"}]}");
    assertThat(answer.body().at("/spec/crew")).hasSize(1);
    assertThat(answer.body().at("/spec/crew/0/rank").asText()).isEqualTo("r");
  }

  @Test
  void applyOfAnObjectThatIsGone_withItsUid_doesNotCreateAnother() {
    String body =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"gone\",\"uid\":\"u-1\"}}";
    Http.Answer answer =
        http.call("PATCH", MAPS + "gone?fieldManager=one", body, "application/apply-patch+yaml");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.body().path("message").asText())
        .endsWith(
            "uid mismatch: the provided object specified uid u-1, and no existing object was found");
    assertThat(http.get(MAPS + "gone").status()).isEqualTo(404);
  }

  @Test
  void managerNames_arePrintable() {
    Http.Answer answer =
        http.call("PATCH", MAPS + "x?fieldManager=a%0Ab", "{}", "application/apply-patch+yaml");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body().at("/details/causes/0/message").asText())
        .endsWith("invalid character U+000A (at position 1)");
  }
}
