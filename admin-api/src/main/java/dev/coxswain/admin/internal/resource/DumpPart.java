// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.DumpTrailer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import org.jspecify.annotations.Nullable;

/** The part of one replica in a dump. Confined to the admin event loop. */
public interface DumpPart {

  /** Returns the name of the replica. */
  String replica();

  /**
   * Writes complete lines, one for each item, as fast as the client receives them; called once. The
   * future completes when nothing more will be written, and never fails.
   *
   * @param out the response, which is not ended
   */
  Future<Outcome> write(WriteStream<Buffer> out);

  /**
   * Releases all resources, since the client is gone. A part that was started may have no outcome.
   */
  void cancel();

  /**
   * The outcome of a part.
   *
   * @param state the state of the replica
   * @param count the number of written items
   * @param asOfSeq the number of the youngest item when the part began; -1 when it is unknown
   * @param error the reason why it is incomplete; null when it is complete
   */
  record Outcome(PeerAnswer.State state, long count, long asOfSeq, @Nullable String error) {

    public static Outcome whole(long count, long asOfSeq) {
      return new Outcome(PeerAnswer.State.OK, count, asOfSeq, null);
    }

    public boolean complete() {
      return error == null;
    }

    DumpTrailer.Part of(String replica) {
      return new DumpTrailer.Part(
          replica,
          state.label(),
          complete(),
          count,
          asOfSeq >= 0 ? asOfSeq : null,
          error == null ? null : Json.line(error, Json.MAX_ERROR_TEXT));
    }
  }
}
