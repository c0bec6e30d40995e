// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;

/** Stands in for lists of texts. */
public final class Hashes {

  private Hashes() {}

  /** Joins texts with their lengths, so that no two lists look alike. */
  public static byte[] joined(List<String> parts) {
    StringBuilder text = new StringBuilder();
    parts.forEach(part -> text.append(part.length()).append(':').append(part));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a text of 43 characters that no other list of texts has. */
  public static String of(List<String> parts) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(of(joined(parts)));
  }

  public static byte[] of(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
