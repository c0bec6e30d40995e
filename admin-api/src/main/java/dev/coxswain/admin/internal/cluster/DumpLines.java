// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.DumpPart;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the dump of another replica as it arrives: items are lines to pass on as they are; the
 * header and the trailer stay here, and the trailer tells what became of it. It keeps the beginning
 * of one line at most. Confined to the admin event loop.
 */
final class DumpLines {

  /** No line of a dump is longer: an item has a name and an error text, which are bounded. */
  private static final int MAX_LINE = 64 * 1024;

  private static final byte[] ITEM = "{\"kind\":\"Item\",".getBytes(StandardCharsets.UTF_8);
  private static final String NO_DUMP = "its answer is no dump";

  private byte[] rest = new byte[0];
  private long count;
  private @Nullable JsonNode trailer;
  private @Nullable String fault;

  /** Takes in some bytes and returns the items to pass on, whole lines only. */
  Buffer take(Buffer data) {
    byte[] bytes = rest.length == 0 ? data.getBytes() : joined(rest, data.getBytes());
    Buffer items = Buffer.buffer(bytes.length);
    int from = 0; // from here it has not been passed on
    int line = 0; // where the line begins that is being looked at
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
    JsonNode json;
    try {
      json = Json.read(line);
    } catch (IOException e) {
      json = null; // told below
    }
    String kind = json == null ? "" : json.path("kind").asText();
    if (trailer == null && kind.equals("Trailer")) {
      trailer = json;
    } else if (trailer != null || count > 0 || !kind.equals("ItemDump")) {
      fault = NO_DUMP;
    }
  }

  /** Returns how many items were passed on. */
  long count() {
    return count;
  }

  /** Returns whether this is no dump, and whatever else comes will not be looked at. */
  boolean isBroken() {
    return fault != null;
  }

  /** Returns what became of the dump when nothing more comes. */
  DumpPart.Outcome outcome() {
    JsonNode end = trailer;
    if (fault != null) {
      return failed(PeerAnswer.State.INCOMPATIBLE, fault);
    }
    if (end == null) {
      return failed(PeerAnswer.State.UNREACHABLE, "its dump broke off");
    }
    JsonNode part = end.path("replicas").path(0);
    if (!end.path("complete").asBoolean()) {
      return failed(
          PeerAnswer.State.of(part.path("state").asText()),
          part.path("error").asText("its dump is not complete"));
    }
    return end.path("count").asLong(-1) == count
        ? DumpPart.Outcome.whole(count, part.path("asOfSeq").asLong(-1))
        : failed(
            PeerAnswer.State.INCOMPATIBLE, "its dump has another number of items than it says");
  }

  /** Returns what became of the dump when this ended it. */
  DumpPart.Outcome failed(PeerAnswer.State state, String error) {
    return new DumpPart.Outcome(state, count, -1, error);
  }
}
