// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** OpenAPI of custom resources. */
class OpenApiOfDefinitionsTest {

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: boats.api.example.com}
      spec:
        group: api.example.com
        scope: Namespaced
        names: {kind: Boat, listKind: BoatList, plural: boats, singular: boat}
        versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  required: [size]
                  properties:
                    size: {type: integer, minimum: 1, maximum: 9, default: 3, format: int32}
                    sail: {type: string, enum: [main, jib], pattern: '^[a-z]+$', nullable: true}
      """;

  @Test
  void itHasAllThatTheDefinitionHas() throws Exception {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        HttpClient http = HttpClient.newHttpClient()) {
      server.apply(DEFINITION);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(server.url() + "/openapi/v3/apis/api.example.com/v1"))
              .build();
      Await.until(
          "the definition to be served",
          () -> {
            try {
              return http.send(request, BodyHandlers.ofString()).statusCode() == 200;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
      JsonNode schema =
          new ObjectMapper()
              .readTree(http.send(request, BodyHandlers.ofString()).body())
              .at("/components/schemas/com.example.api.v1.Boat");

      assertThat(schema.at("/properties/spec/required/0").asText()).isEqualTo("size");
      assertThat(schema.at("/properties/spec/properties/size").toString())
          .contains("\"minimum\":1", "\"maximum\":9", "\"default\":3", "\"format\":\"int32\"");
      assertThat(schema.at("/properties/spec/properties/sail").toString())
          .contains("\"enum\":[\"main\",\"jib\"]", "\"pattern\"", "\"nullable\":true");
      assertThat(schema.at("/properties/metadata").isMissingNode()).isFalse();
      assertThat(schema.path("x-kubernetes-group-version-kind").isMissingNode()).isFalse();
    }
  }
}
