// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A failure in the binary form of the Kubernetes API, for clients that accept no other form; any
 * thread. The field numbers are those of {@code k8s.io.apimachinery.pkg.apis.meta.v1.Status}.
 */
public final class ProtobufStatus {

  private static final byte[] MAGIC = {'k', '8', 's', 0};

  private ProtobufStatus() {}

  /** Returns the bytes of a {@code Status}. */
  public static byte[] of(ObjectNode status) {
    ProtobufWriter type = new ProtobufWriter().text(1, "v1").text(2, "Status");
    ProtobufWriter meta =
        new ProtobufWriter()
            .text(1, "")
            .text(2, "")
            .text(3, Json.text(status.get("metadata"), "continue"));
    ProtobufWriter body =
        new ProtobufWriter()
            .message(1, meta)
            .text(2, Json.text(status, "status"))
            .text(3, Json.text(status, "message"))
            .text(4, Json.text(status, "reason"));
    if (status.get("details") instanceof ObjectNode details) {
      body.message(5, details(details));
    }
    body.number(6, status.path("code").asLong());
    ProtobufWriter whole = new ProtobufWriter();
    whole.raw(MAGIC);
    return whole.message(1, type).message(2, body).text(3, "").text(4, "").toBytes();
  }

  private static ProtobufWriter details(ObjectNode details) {
    ProtobufWriter result =
        new ProtobufWriter()
            .text(1, Json.text(details, "name"))
            .text(2, Json.text(details, "group"))
            .text(3, Json.text(details, "kind"));
    for (JsonNode cause : details.path("causes")) {
      result.message(
          4,
          new ProtobufWriter()
              .text(1, Json.text(cause, "reason"))
              .text(2, Json.text(cause, "message"))
              .text(3, Json.text(cause, "field")));
    }
    return result
        .number(5, details.path("retryAfterSeconds").asLong())
        .text(6, Json.text(details, "uid"));
  }
}
