// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.spi.Clock;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes the tokens with which somebody who has seen the preview of an operation says that they mean
 * just that. A token is signed with a key of this process, and bound to the one who asked, to one
 * run of one controller, to everything that decides what the operation does, and to the items there
 * were by then and how many. Confined to the admin event loop.
 */
final class ConfirmTokens {

  /** How long a preview may be looked at. */
  static final Duration VALIDITY = Duration.ofMinutes(5);

  private static final String PREFIX = "ct_";
  private static final int PAYLOAD = 8 + 8 + 4;
  private static final int SIGNATURE = 16;

  /**
   * What somebody has seen.
   *
   * @param asOfSeq the youngest item that was there
   * @param matched how many items matched
   */
  record Seen(long asOfSeq, int matched) {}

  private final Clock clock;
  private final Mac mac;

  ConfirmTokens(Clock clock) {
    this.clock = clock;
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no HmacSHA256", e);
    }
  }

  /**
   * Makes a token.
   *
   * @param subject what it is bound to
   */
  String issue(List<String> subject, Seen seen) {
    ByteBuffer bytes = ByteBuffer.allocate(PAYLOAD + SIGNATURE);
    bytes.putLong(clock.nanos() + VALIDITY.toNanos());
    bytes.putLong(seen.asOfSeq()).putInt(seen.matched());
    bytes.put(sign(bytes.array(), subject));
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /** Returns what was seen; throws a {@link Rejection} when it is not for this. */
  Seen verify(List<String> subject, String token) {
    byte[] all = bytes(token);
    if (all.length != PAYLOAD + SIGNATURE
        || !MessageDigest.isEqual(
            sign(all, subject), Arrays.copyOfRange(all, PAYLOAD, PAYLOAD + SIGNATURE))) {
      throw Problem.of(
              410,
              "confirm-token-invalid",
              "Unknown confirmation",
              "this confirmToken was not given to you by this replica for just this operation; ask"
                  + " for a preview with \"dryRun\": true and send the same order with its token")
          .rejection();
    }
    ByteBuffer bytes = ByteBuffer.wrap(all);
    if (bytes.getLong() - clock.nanos() <= 0) {
      throw Problem.of(
              410,
              "confirm-token-expired",
              "Confirmation expired",
              "a preview may be confirmed for "
                  + Durations.format(VALIDITY)
                  + "; ask for another one")
          .rejection();
    }
    return new Seen(bytes.getLong(), bytes.getInt());
  }

  private static byte[] bytes(String token) {
    try {
      return token.startsWith(PREFIX)
          ? Base64.getUrlDecoder().decode(token.substring(PREFIX.length()))
          : new byte[0];
    } catch (IllegalArgumentException e) {
      return new byte[0]; // refused by its length
    }
  }

  private byte[] sign(byte[] bytes, List<String> subject) {
    mac.update(bytes, 0, PAYLOAD);
    return Arrays.copyOf(mac.doFinal(Hashes.joined(subject)), SIGNATURE);
  }
}
