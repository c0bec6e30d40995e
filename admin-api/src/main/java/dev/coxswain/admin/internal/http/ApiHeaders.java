// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Hashes;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Names and fixed values of HTTP headers that several classes of the admin API read or write. */
public final class ApiHeaders {

  /** Marks the requests of a client that belong to one change. */
  public static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  /** Marks a stored response that is sent again. */
  public static final String IDEMPOTENCY_REPLAYED = "Idempotency-Replayed";

  /** The version of the protocol between replicas, in requests and responses. */
  public static final String PEER_PROTOCOL = "Coxswain-Peer";

  /** The value of {@link #PEER_PROTOCOL}; a replica with another value is incompatible. */
  public static final String PEER_PROTOCOL_VERSION = "1";

  /** The replica that a request is sent to, or that a response comes from. */
  public static final String REPLICA = "Coxswain-Replica";

  /** Marks a request that only finds out whether a change concerns the replica. */
  public static final String FIND = "Coxswain-Find";

  /** The audited change of a replica, in its response to another replica; base64url of JSON. */
  public static final String CHANGE = "Coxswain-Change";

  private ApiHeaders() {}

  /** Adds the audited change to the response to another replica, if there is one. */
  static void putChange(HttpServerResponse response, String json) {
    if (!json.isEmpty()) {
      response.putHeader(CHANGE, Hashes.encode(json.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** Returns the audited change in the header of a response; empty for none. */
  public static String change(@Nullable String header) {
    return header == null ? "" : new String(Hashes.decode(header), StandardCharsets.UTF_8);
  }
}
