// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Json;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A response with its body as text; null without one, as that of 304. */
record WrittenResponse(Response reply, @Nullable Buffer text) {

  /**
   * Writes the body of a response, which has one.
   *
   * @param known the ETags of If-None-Match, for a list that gets an ETag; null for anything else
   */
  static WrittenResponse of(Response reply, @Nullable List<String> known) {
    byte[] text = Json.write(Objects.requireNonNull(reply.body()));
    if (known == null) {
      return new WrittenResponse(reply, Buffer.buffer(text));
    }
    String etag = Revisions.ofList(text);
    return Revisions.matchesAny(known, etag)
        ? new WrittenResponse(Response.notModified().withHeader("ETag", etag), null)
        : new WrittenResponse(reply.withHeader("ETag", etag), Buffer.buffer(text));
  }
}
