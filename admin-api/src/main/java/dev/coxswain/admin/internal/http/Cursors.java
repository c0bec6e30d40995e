// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Turns a place in a walk into an opaque text and back. The text is signed, and bound to this
 * process, to one run of one controller and to one filter. Confined to the admin event loop.
 */
public final class Cursors {

  private static final byte VERSION = 1;
  private static final int PAYLOAD = 1 + 8 + 8 + 8 + 4 + 8;
  private static final int SIGNATURE = 16;

  private final long epoch;
  private final Mac mac;

  public Cursors() {
    SecureRandom random = new SecureRandom();
    byte[] key = new byte[32];
    random.nextBytes(key);
    epoch = random.nextLong();
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no HmacSHA256", e);
    }
  }

  public String encode(ControllerHandle handle, ItemFilter filter, ItemPage.Cursor cursor) {
    ByteBuffer bytes = ByteBuffer.allocate(PAYLOAD + SIGNATURE);
    bytes.put(VERSION);
    bytes.putLong(epoch).putLong(runOf(handle)).putLong(hash(handle, filter));
    bytes.putInt(cursor.hash()).putLong(cursor.seq());
    bytes.put(sign(bytes.array()), 0, SIGNATURE);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  public ItemPage.Cursor decode(ControllerHandle handle, ItemFilter filter, String text) {
    byte[] all = bytes(text);
    if (all.length != PAYLOAD + SIGNATURE || all[0] != VERSION) {
      throw invalid("was not made by this API");
    }
    ByteBuffer bytes = ByteBuffer.wrap(all, 1, PAYLOAD - 1);
    if (bytes.getLong() != epoch) {
      throw expired("was made before this replica started, or by another one");
    }
    if (!MessageDigest.isEqual(sign(all), Arrays.copyOfRange(all, PAYLOAD, PAYLOAD + SIGNATURE))) {
      throw invalid("was changed on its way");
    }
    long run = bytes.getLong();
    if (bytes.getLong() != hash(handle, filter)) {
      throw invalid("belongs to another controller or another filter");
    }
    if (run != runOf(handle)) {
      throw expired("was made before the controller was started again");
    }
    return new ItemPage.Cursor(bytes.getInt(), bytes.getLong());
  }

  private static byte[] bytes(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0]; // refused by its length
    }
  }

  private byte[] sign(byte[] bytes) {
    mac.update(bytes, 0, PAYLOAD);
    return Arrays.copyOf(mac.doFinal(), SIGNATURE);
  }

  /** Names one run of a controller in one process. */
  public String run(ControllerHandle handle) {
    return "%016x".formatted(epoch ^ Long.rotateLeft(runOf(handle), 32));
  }

  private static long runOf(ControllerHandle handle) {
    Instant start = handle.status().startedAt();
    return start.getEpochSecond() * 1_000_000_000L + start.getNano();
  }

  private static long hash(ControllerHandle handle, ItemFilter filter) {
    StringBuilder text = new StringBuilder();
    part(text, handle.name());
    part(text, filter.phases().stream().map(Phase::label).sorted().toList().toString());
    part(text, String.valueOf(filter.failing()));
    part(text, String.valueOf(filter.minFailures()));
    part(text, filter.namespace() == null ? "-" : "+" + filter.namespace());
    part(text, filter.nameGlob() == null ? "-" : "+" + filter.nameGlob());
    part(text, String.valueOf(filter.olderThan()));
    part(text, String.valueOf(filter.readyBefore()));
    part(text, filter.errorClass() == null ? "-" : "+" + filter.errorClass());
    part(text, filter.labelSelector() == null ? "-" : "+" + filter.labelSelector());
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }

  /** Appends a part with its length, so that no two lists of parts look alike. */
  private static void part(StringBuilder text, String part) {
    text.append(part.length()).append(':').append(part);
  }

  private static Rejection invalid(String why) {
    return Problem.invalid(
            "invalid-cursor",
            "this value of \"continue\" " + why + "; start again without it",
            new Problem.Fault("parameter", "continue", why))
        .rejection();
  }

  private static Rejection expired(String why) {
    return Problem.of(
            410,
            "cursor-expired",
            "Cursor expired",
            "this value of \"continue\" " + why + "; start again without it")
        .rejection();
  }
}
