// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.spi.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that confirm the preview of an operation. A token is signed with a key of this process. It
 * is bound to the caller, to one run of one controller, to all parameters of the operation, and to
 * the items of the preview and their number. Confined to the admin event loop.
 */
public final class ConfirmTokens {

  /** The time in which a preview can be confirmed. */
  static final Duration VALIDITY = Duration.ofMinutes(5);

  /** The longest token that is read: of a hundred replicas with names of 63 characters. */
  static final int MAX_LENGTH = 20_480;

  private static final String PREFIX = "ct_";
  private static final String COMBINED_PREFIX = "cts_";
  private static final int PAYLOAD = 8 + 8 + 4;
  private static final int SIGNATURE = 16;

  /**
   * The items of a preview.
   *
   * @param asOfSeq the number of the youngest item
   * @param matched the number of items that matched
   */
  record Seen(long asOfSeq, int matched) {}

  private final Clock clock;
  private final Mac mac = Hashes.signer();

  ConfirmTokens(Clock clock) {
    this.clock = clock;
  }

  /** Returns a token that is bound to a subject. */
  String issue(List<String> subject, Seen seen) {
    ByteBuffer bytes = ByteBuffer.allocate(PAYLOAD + SIGNATURE);
    bytes.putLong(clock.nanos() + VALIDITY.toNanos());
    bytes.putLong(seen.asOfSeq()).putInt(seen.matched());
    bytes.put(sign(bytes.array(), subject));
    return PREFIX + Hashes.encode(bytes.array());
  }

  /** Returns the items of the preview; throws a {@link Rejection} for a token of another subject. */
  Seen verify(List<String> subject, String token) {
    byte[] all = decode(PREFIX, token);
    if (all.length != PAYLOAD + SIGNATURE
        || !MessageDigest.isEqual(
            sign(all, subject), Arrays.copyOfRange(all, PAYLOAD, PAYLOAD + SIGNATURE))) {
      throw Problem.of(
              410,
              "confirm-token-invalid",
              "Unknown confirmation",
              "this replica has not issued this confirmToken to you for this operation; request a"
                  + " preview with \"dryRun\": true and send the same request with its token")
          .rejection();
    }
    ByteBuffer bytes = ByteBuffer.wrap(all);
    if (bytes.getLong() - clock.nanos() <= 0) {
      throw Problem.of(
              410,
              "confirm-token-expired",
              "Confirmation expired",
              "a preview can be confirmed for "
                  + Durations.format(VALIDITY)
                  + "; request another one")
          .rejection();
    }
    return new Seen(bytes.getLong(), bytes.getInt());
  }

  private byte[] sign(byte[] bytes, List<String> subject) {
    mac.update(bytes, 0, PAYLOAD);
    return Arrays.copyOf(mac.doFinal(Hashes.joined(subject)), SIGNATURE);
  }

  /** Combines the tokens of several replicas, by name. Each replica verifies its own token only. */
  static String combine(Map<String, String> tokens) {
    ObjectNode json = Json.object();
    new TreeMap<>(tokens).forEach(json::put);
    return COMBINED_PREFIX + Hashes.encode(Json.write(json));
  }

  /** Returns the tokens by replica, or null for the token of a single replica. */
  public static @Nullable Map<String, String> parts(@Nullable String text) {
    if (text == null || !text.startsWith(COMBINED_PREFIX) || text.length() > MAX_LENGTH) {
      return null;
    }
    Map<String, String> parts = new TreeMap<>();
    try {
      JsonNode json = Json.read(decode(COMBINED_PREFIX, text));
      if (json != null) {
        json.properties().forEach(part -> parts.put(part.getKey(), part.getValue().asText()));
      }
    } catch (IOException e) {
      return Map.of(); // matches no set of replicas, so it is refused
    }
    return parts;
  }

  /** Returns the bytes of a token; none for another text. */
  private static byte[] decode(String prefix, String token) {
    return Hashes.decode(token.startsWith(prefix) ? token.substring(prefix.length()) : "");
  }
}
