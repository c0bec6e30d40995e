// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.DumpTrailer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.DumpPart;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the dump of another replica, as it arrives, into lines. Lines of items are forwarded
 * unchanged; the header and the trailer, which has the outcome, are consumed. At most one incomplete
 * line is buffered. Confined to the admin event loop.
 */
final class DumpLines {

  /** The longest line: the name and the error text of an item are limited. */
  private static final int MAX_LINE = 64 * 1024;

  private static final byte[] ITEM = "{\"kind\":\"Item\",".getBytes(StandardCharsets.UTF_8);
  private static final String NO_DUMP = "its response is not a dump";

  private byte[] rest = new byte[0];
  private long count;
  private @Nullable DumpTrailer trailer;
  private @Nullable String fault;

  /** Consumes bytes and returns the complete lines of items among them. */
  Buffer take(Buffer data) {
    byte[] bytes = rest.length == 0 ? data.getBytes() : joined(rest, data.getBytes());
    Buffer items = Buffer.buffer(bytes.length);
    int from = 0; // the first byte that is not in the result
    int line = 0; // the first byte of the current line
    for (int at = rest.length; at < bytes.length && fault == null; at++) {
      if (bytes[at] != '\n') {
        continue;
      }
      if (isItem(bytes, line, at)) {
        count++;
      } else {
        items.appendBytes(bytes, from, line - from);
        from = at + 1;
        other(Arrays.copyOfRange(bytes, line, at));
      }
      line = at + 1;
    }
    items.appendBytes(bytes, from, line - from);
    rest = Arrays.copyOfRange(bytes, line, bytes.length);
    if (rest.length > MAX_LINE) {
      fault = NO_DUMP;
    }
    return items;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private boolean isItem(byte[] bytes, int from, int to) {
    int end = from + ITEM.length;
    return trailer == null && to > end && Arrays.equals(bytes, from, end, ITEM, 0, ITEM.length);
  }

  private void other(byte[] line) {
    try {
      JsonNode json = Json.read(line, JsonNode.class);
      String kind = json.path("kind").asText();
      if (trailer == null && kind.equals(DumpTrailer.KIND)) {
        trailer = Json.value(json, DumpTrailer.class);
      } else if (trailer != null || count > 0 || !kind.equals(DumpTrailer.Header.KIND)) {
        fault = NO_DUMP;
      }
    } catch (IOException | IllegalArgumentException e) {
      fault = NO_DUMP;
    }
  }

  /** Returns the number of items. */
  long count() {
    return count;
  }

  /** Returns whether the bytes are not a dump; further bytes are ignored. */
  boolean isBroken() {
    return fault != null;
  }

  /** Returns the outcome at the end of the stream. */
  DumpPart.Outcome outcome() {
    DumpTrailer end = trailer;
    if (fault != null) {
      return failed(PeerAnswer.State.INCOMPATIBLE, fault);
    }
    if (end == null) {
      return failed(PeerAnswer.State.UNREACHABLE, "its dump ended without a trailer");
    }
    if (end.replicas().isEmpty()) {
      return failed(PeerAnswer.State.INCOMPATIBLE, NO_DUMP);
    }
    DumpTrailer.Part part = end.replicas().getFirst();
    String error = part.error();
    if (!end.complete()) {
      return failed(
          PeerAnswer.State.of(part.state()), error == null ? "its dump is not complete" : error);
    }
    Long asOfSeq = part.asOfSeq();
    return end.count() == count
        ? DumpPart.Outcome.whole(count, asOfSeq == null ? -1 : asOfSeq)
        : failed(
            PeerAnswer.State.INCOMPATIBLE, "its dump has another number of items than its trailer");
  }

  /** Returns the outcome for a failure. */
  DumpPart.Outcome failed(PeerAnswer.State state, String error) {
    return new DumpPart.Outcome(state, count, -1, error);
  }
}
