// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code stringData}, types and immutability of Secrets; any thread. */
final class SecretRules implements KindRules {
  private static final int MAX = 1024 * 1024;
  private static final String ACCOUNT = "kubernetes.io/service-account.name";

  @Override
  public void defaults(ObjectNode secret) {
    if (secret.remove("stringData") instanceof ObjectNode plain) {
      ObjectNode data = Json.ensure(secret, "data");
      plain
          .properties()
          .forEach(e ->
              data.put(
                  e.getKey(),
                  Base64.getEncoder()
                      .encodeToString(e.getValue().asText().getBytes(StandardCharsets.UTF_8))));
    }
    Json.putDefault(secret, "type", "Opaque");
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode secret, Causes causes) {
    if (old != null) {
      Checks.immutable(old.path("type"), secret.path("type"), "type", causes);
    }
    ConfigMapRules.immutable(old, secret, causes, List.of("data"));
    long size = 0;
    for (Map.Entry<String, JsonNode> e : secret.path("data").properties()) {
      String path = "data[" + e.getKey() + "]";
      causes.invalidText(path, e.getKey(), Checks.configKey(e.getKey()));
      size += ConfigMapRules.decoded(e.getValue());
    }
    if (size > MAX) {
      causes.tooLong("data", MAX);
    }
    type(secret, causes);
  }

  private static void type(ObjectNode secret, Causes causes) {
    JsonNode data = secret.path("data");
    switch (Json.text(secret, "type")) {
      case "kubernetes.io/service-account-token" ->
          Checks.required(
              secret.path("metadata").path("annotations"),
              ACCOUNT,
              "metadata.annotations",
              "[" + ACCOUNT + "]",
              causes);
      case "kubernetes.io/dockercfg" -> config(data, ".dockercfg", causes);
      case "kubernetes.io/dockerconfigjson" -> config(data, ".dockerconfigjson", causes);
      case "kubernetes.io/basic-auth" -> {
        if (!data.has("username") && !data.has("password")) {
          causes.required("data[username]");
          causes.required("data[password]");
        }
      }
      case "kubernetes.io/ssh-auth" ->
          Checks.required(data, "ssh-privatekey", "data", "[ssh-privatekey]", causes);
      case "kubernetes.io/tls" -> {
        for (String key : List.of("tls.crt", "tls.key")) {
          if (!data.has(key)) {
            causes.required("data[" + key + "]");
          }
        }
      }
      default -> {}
    }
  }

  /** A configuration must be there and be a JSON object. */
  private static void config(JsonNode data, String key, Causes causes) {
    if (!data.has(key)) {
      causes.required("data[" + key + "]");
      return;
    }
    String problem = "";
    try {
      byte[] json = Base64.getDecoder().decode(Json.text(data, key));
      if (json.length == 0) {
        problem = "unexpected end of JSON input";
      } else if (!Json.mapper().readTree(json).isObject()) {
        problem = "json: cannot unmarshal into Go value of type map[string]interface {}";
      }
    } catch (IOException | IllegalArgumentException e) {
      problem = "invalid character in JSON";
    }
    if (!problem.isEmpty()) {
      causes.invalidText("data[" + key + "]", "<secret contents redacted>", problem);
    }
  }
}
