// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import java.util.Base64;

/**
 * The address of a webhook and the authority of its certificate, from a {@code clientConfig};
 * immutable.
 *
 * @param url where requests are sent; for a service the name of its host
 * @param service name of the service, empty for a URL
 * @param tls the trusted authority; that of the machine without a {@code caBundle}
 */
public record WebhookTarget(String url, String service, ClientSSLOptions tls) {

  /** Reads a {@code clientConfig}. */
  public static WebhookTarget of(JsonNode config) {
    ClientSSLOptions tls = new ClientSSLOptions().setHostnameVerificationAlgorithm("HTTPS");
    String bundle = Json.text(config, "caBundle");
    if (!bundle.isEmpty()) {
      tls.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(decoded(bundle))));
    }
    JsonNode service = config.path("service");
    if (!service.isObject()) {
      return new WebhookTarget(Json.text(config, "url"), "", tls);
    }
    String name = Json.text(service, "name");
    String path = Json.text(service, "path");
    String url =
        "https://%s.%s.svc:%s%s"
            .formatted(
                name,
                Json.text(service, "namespace"),
                service.path("port").asInt(443),
                path.isEmpty() || path.startsWith("/") ? path : "/" + path);
    return new WebhookTarget(url, name, tls);
  }

  private static byte[] decoded(String bundle) {
    try {
      return Base64.getDecoder().decode(bundle);
    } catch (IllegalArgumentException e) {
      return new byte[0]; // trusts nothing
    }
  }
}
