// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A failure in the binary form of the Kubernetes API, for clients that accept no other form; any
 * thread. The field numbers are those of {@code k8s.io.apimachinery.pkg.apis.meta.v1.Status}.
 */
public final class ProtobufStatus {

  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final int VARINT = 0;
  private static final int BYTES = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private ProtobufStatus() {}

  /** Returns the bytes of a {@code Status}. */
  public static byte[] of(ObjectNode status) {
    ProtobufStatus type = new ProtobufStatus();
    type.text(1, "v1");
    type.text(2, "Status");
    ProtobufStatus meta = new ProtobufStatus();
    for (int field = 1; field <= 3; field++) {
      meta.text(field, field == 3 ? Json.text(status.get("metadata"), "continue") : "");
    }
    ProtobufStatus body = new ProtobufStatus();
    body.message(1, meta);
    body.text(2, Json.text(status, "status"));
    body.text(3, Json.text(status, "message"));
    body.text(4, Json.text(status, "reason"));
    if (status.get("details") instanceof ObjectNode details) {
      body.message(5, details(details));
    }
    body.number(6, status.path("code").asLong());
    ProtobufStatus whole = new ProtobufStatus();
    whole.out.writeBytes(MAGIC);
    whole.message(1, type);
    whole.message(2, body);
    whole.text(3, "");
    whole.text(4, "");
    return whole.out.toByteArray();
  }

  private static ProtobufStatus details(ObjectNode details) {
    ProtobufStatus result = new ProtobufStatus();
    result.text(1, Json.text(details, "name"));
    result.text(2, Json.text(details, "group"));
    result.text(3, Json.text(details, "kind"));
    for (JsonNode cause : details.path("causes")) {
      ProtobufStatus one = new ProtobufStatus();
      one.text(1, Json.text(cause, "reason"));
      one.text(2, Json.text(cause, "message"));
      one.text(3, Json.text(cause, "field"));
      result.message(4, one);
    }
    result.number(5, details.path("retryAfterSeconds").asLong());
    result.text(6, Json.text(details, "uid"));
    return result;
  }

  private void text(int field, String text) {
    bytes(field, text.getBytes(StandardCharsets.UTF_8));
  }

  private void message(int field, ProtobufStatus message) {
    bytes(field, message.out.toByteArray());
  }

  private void bytes(int field, byte[] bytes) {
    varint((long) field << 3 | BYTES);
    varint(bytes.length);
    out.writeBytes(bytes);
  }

  private void number(int field, long value) {
    varint((long) field << 3 | VARINT);
    varint(value);
  }

  private void varint(long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out.write((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }
}
