// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** {@code stringData}, types and immutability of Secrets; any thread. */
final class SecretRules implements KindRules {
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
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field secret) {
    if (old != null) {
      secret.at("type").immutable(old.path("type"));
    }
    ConfigMapRules.immutable(old, secret, "data");
    Field data = secret.at("data");
    data.keys().forEach(key -> data.key(key).configKey(key));
    ConfigMapRules.limit(ConfigMapRules.decodedSize(data), data);
    switch (secret.text("type")) {
      case "kubernetes.io/service-account-token" ->
          secret.at("metadata", "annotations").key(ACCOUNT).required();
      case "kubernetes.io/dockercfg" -> config(data.key(".dockercfg"));
      case "kubernetes.io/dockerconfigjson" -> config(data.key(".dockerconfigjson"));
      case "kubernetes.io/basic-auth" -> {
        if (!data.key("username").given() && !data.key("password").given()) {
          data.key("username").missing();
          data.key("password").missing();
        }
      }
      case "kubernetes.io/ssh-auth" -> data.key("ssh-privatekey").required();
      case "kubernetes.io/tls" -> {
        given(data.key("tls.crt"));
        given(data.key("tls.key"));
      }
      default -> {}
    }
  }

  private static boolean given(Field value) {
    if (!value.given()) {
      value.missing();
    }
    return value.given();
  }

  /** A configuration must be there and be a JSON object. */
  private static void config(Field config) {
    if (!given(config)) {
      return;
    }
    String problem = "";
    try {
      byte[] json = Base64.getDecoder().decode(config.text());
      if (json.length == 0) {
        problem = "unexpected end of JSON input";
      } else if (!Json.mapper().readTree(json).isObject()) {
        problem = "json: cannot unmarshal into Go value of type map[string]interface {}";
      }
    } catch (IOException | IllegalArgumentException e) {
      problem = "invalid character in JSON";
    }
    if (!problem.isEmpty()) {
      config.invalid(Cause.quote("<secret contents redacted>"), problem);
    }
  }
}
