// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code stringData}, types and immutability of Secrets; any thread. */
final class SecretRules implements KindRules {
  private static final int MAX = 1024 * 1024;

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
  public void validate(@Nullable ObjectNode old, ObjectNode secret, List<Cause> causes) {
    if (ConfigMapRules.check(secret, "data", causes) > MAX) {
      causes.add(Cause.tooLong("data", MAX));
    }
    if (old != null && !Json.text(old, "type").equals(Json.text(secret, "type"))) {
      causes.add(Cause.invalidText("type", Json.text(secret, "type"), "field is immutable"));
    }
    ConfigMapRules.immutable(old, secret, causes, List.of("data"));
    List<String> required =
        switch (Json.text(secret, "type")) {
          case "kubernetes.io/tls" -> List.of("tls.crt", "tls.key");
          case "kubernetes.io/dockerconfigjson" -> List.of(".dockerconfigjson");
          case "kubernetes.io/ssh-auth" -> List.of("ssh-privatekey");
          default -> List.of();
        };
    for (String key : required) {
      if (!secret.path("data").has(key)) {
        causes.add(Cause.required("data[" + key + "]", ""));
      }
    }
  }
}
