// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.host.internal.jvm.StallLimit;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Leases of replicas of an earlier, killed session. A session owns its API server, and its
 * replicas ended with it, so waiting for their Leases to expire is not needed. Leases of other
 * holders are kept: a process that was started by hand may return.
 *
 * <p>Thread rule: one thread, which is blocked; before the first replica of the session starts.
 */
final class PriorLeases {

  private static final String LEASES = "/apis/coordination.k8s.io/v1/";
  private static final String LAST_HOLDER = "coxswain.dev/last-holder";

  /** The name of a replica, with the suffix of a process. */
  private static final Pattern REPLICA =
      Pattern.compile(Pattern.quote(ReplicaSettings.NAME_PREFIX) + "\\d+(_.*)?");

  private PriorLeases() {}

  /**
   * Releases these Leases, as their holders would have done: a Lease that is deleted does not prove
   * that its holder has ended, and its slots would be taken over only after its duration.
   *
   * @param server the address of the API server, which needs no credentials
   * @param limit how long a request may take
   * @throws IOException when the server rejects a request
   */
  static void release(String server, StallLimit limit) throws IOException {
    for (JsonNode lease : call(server + LEASES + "leases", "GET", null, limit).path("items")) {
      if (REPLICA.matcher(lease.at("/spec/holderIdentity").asText()).matches()) {
        ObjectNode released = lease.deepCopy();
        ObjectNode metadata = released.withObject("metadata");
        metadata.withObject("annotations").set(LAST_HOLDER, lease.at("/spec/holderIdentity"));
        released.withObject("spec").put("holderIdentity", "");
        call(
            "%s%snamespaces/%s/leases/%s"
                .formatted(
                    server,
                    LEASES,
                    metadata.path("namespace").asText(),
                    metadata.path("name").asText()),
            "PUT",
            released,
            limit);
      }
    }
  }

  private static JsonNode call(String url, String method, @Nullable JsonNode sent, StallLimit limit)
      throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(limit.millis());
    connection.setReadTimeout(limit.millis());
    if (sent != null) {
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      try (OutputStream out = connection.getOutputStream()) {
        out.write(new ObjectMapper().writeValueAsBytes(sent));
      }
    }
    try (InputStream body = connection.getInputStream()) { // fails for an error status
      return new ObjectMapper().readTree(body);
    }
  }
}
