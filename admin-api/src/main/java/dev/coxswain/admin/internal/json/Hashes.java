// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256 digests and signatures, and their form as text. */
public final class Hashes {

  private Hashes() {}

  /** Joins texts with their lengths, so that different lists give different bytes. */
  public static byte[] joined(List<String> parts) {
    StringBuilder text = new StringBuilder();
    parts.forEach(part -> text.append(part.length()).append(':').append(part));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the digest of a list of texts, in 43 characters of base64url. */
  public static String of(List<String> parts) {
    return encode(of(joined(parts)));
  }

  public static byte[] of(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }

  /** Returns an HMAC-SHA256 with a random key. */
  public static Mac signer() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no HmacSHA256", e);
    }
  }

  /** Returns bytes as unpadded base64url. */
  public static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns the bytes of a text in base64url; none for another text. */
  public static byte[] decode(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
