// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a position in a walk as an opaque text. The text is signed, and bound to this process, to
 * one run of one controller and to one filter. Confined to the admin event loop.
 */
public final class Cursors {

  private static final byte VERSION = 1;
  private static final int PAYLOAD = 1 + 8 + 8 + 8 + 4 + 8;
  private static final int SIGNATURE = 16;

  private final long epoch = new SecureRandom().nextLong();
  private final Mac mac = Hashes.signer();

  public String encode(ControllerHandle handle, ItemFilter filter, ItemPage.Cursor cursor) {
    ByteBuffer bytes = ByteBuffer.allocate(PAYLOAD + SIGNATURE);
    bytes.put(VERSION);
    bytes.putLong(epoch).putLong(runOf(handle)).putLong(hash(handle, filter));
    bytes.putInt(cursor.hash()).putLong(cursor.seq());
    bytes.put(sign(bytes.array()), 0, SIGNATURE);
    return Hashes.encode(bytes.array());
  }

  public ItemPage.Cursor decode(ControllerHandle handle, ItemFilter filter, String text) {
    byte[] all = Hashes.decode(text);
    if (all.length != PAYLOAD + SIGNATURE || all[0] != VERSION) {
      throw invalid("was not issued by this API");
    }
    ByteBuffer bytes = ByteBuffer.wrap(all, 1, PAYLOAD - 1);
    if (bytes.getLong() != epoch) {
      throw expired("was issued before this replica started, or by another replica");
    }
    if (!MessageDigest.isEqual(sign(all), Arrays.copyOfRange(all, PAYLOAD, PAYLOAD + SIGNATURE))) {
      throw invalid("was changed in transit");
    }
    long run = bytes.getLong();
    if (bytes.getLong() != hash(handle, filter)) {
      throw invalid("belongs to another controller or another filter");
    }
    if (run != runOf(handle)) {
      throw expired("was issued before the controller was started again");
    }
    return new ItemPage.Cursor(bytes.getInt(), bytes.getLong());
  }

  private byte[] sign(byte[] bytes) {
    mac.update(bytes, 0, PAYLOAD);
    return Arrays.copyOf(mac.doFinal(), SIGNATURE);
  }

  /** Identifies one run of a controller in one process. */
  public String run(ControllerHandle handle) {
    return "%016x".formatted(epoch ^ Long.rotateLeft(runOf(handle), 32));
  }

  private static long runOf(ControllerHandle handle) {
    Instant start = handle.status().startedAt();
    return start.getEpochSecond() * 1_000_000_000L + start.getNano();
  }

  private static long hash(ControllerHandle handle, ItemFilter filter) {
    List<String> parts =
        List.of(
            handle.name(),
            filter.phases().stream().map(Phase::label).sorted().toList().toString(),
            String.valueOf(filter.failing()),
            String.valueOf(filter.minFailures()),
            given(filter.namespace()),
            given(filter.nameGlob()),
            String.valueOf(filter.olderThan()),
            String.valueOf(filter.readyBefore()),
            given(filter.errorClass()),
            given(filter.cause()),
            given(filter.labelSelector()));
    return ByteBuffer.wrap(Hashes.of(Hashes.joined(parts))).getLong();
  }

  /** Distinguishes an absent text from every present one. */
  private static String given(@Nullable String text) {
    return text == null ? "-" : "+" + text;
  }

  /** Returns the refusal of a position that is none, or none of this list. */
  public static Rejection invalid(String why) {
    return Problem.invalid(
            "invalid-cursor", startAgain(why), new Problem.Fault("parameter", "continue", why))
        .rejection();
  }

  /** Returns the refusal of a position that was valid once. */
  public static Rejection expired(String why) {
    return Problem.of(410, "cursor-expired", "Cursor expired", startAgain(why)).rejection();
  }

  private static String startAgain(String why) {
    return "this value of \"continue\" " + why + "; start again without it";
  }
}
