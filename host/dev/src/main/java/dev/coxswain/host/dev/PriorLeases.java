// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * The Leases of replicas of an earlier, killed session. A session owns its API server, and its
 * replicas ended with it, so waiting for their Leases to expire is not needed. Leases of other
 * holders are kept: a process that was started by hand may return.
 *
 * <p>Thread rule: one thread, which is blocked; before the first replica of the session starts.
 */
final class PriorLeases {

  private static final String LEASES = "/apis/coordination.k8s.io/v1/";
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** The name of a replica, with the suffix of a process. */
  private static final Pattern REPLICA =
      Pattern.compile(Pattern.quote(ReplicaSettings.NAME_PREFIX) + "\\d+(_.*)?");

  private PriorLeases() {}

  /**
   * Deletes these Leases.
   *
   * @param server the address of the API server, which needs no credentials
   * @throws IOException when the server rejects a request
   */
  static void delete(String server) throws IOException {
    for (JsonNode lease : call(server + LEASES + "leases", "GET").path("items")) {
      if (REPLICA.matcher(lease.at("/spec/holderIdentity").asText()).matches()) {
        JsonNode metadata = lease.path("metadata");
        call(
            "%s%snamespaces/%s/leases/%s"
                .formatted(
                    server,
                    LEASES,
                    metadata.path("namespace").asText(),
                    metadata.path("name").asText()),
            "DELETE");
      }
    }
  }

  private static JsonNode call(String url, String method) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout((int) LIMIT.toMillis());
    connection.setReadTimeout((int) LIMIT.toMillis());
    try (InputStream body = connection.getInputStream()) { // fails for an error status
      return new ObjectMapper().readTree(body);
    }
  }
}
