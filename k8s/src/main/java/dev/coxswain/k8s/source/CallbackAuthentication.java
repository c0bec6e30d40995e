// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Decides whether a callback comes from who it should.
 *
 * <p>Thread rule: called on an event loop, must not block.
 */
public interface CallbackAuthentication {

  /** Returns whether to believe a call. */
  boolean accepts(MultiMap headers, Buffer body);

  /** Returns what to answer in {@code WWW-Authenticate} to who is not believed. */
  String challenge();

  /**
   * Believes who sends {@code Authorization: Bearer} and the token.
   *
   * @param token the token, asked for at each call so that it may change; nobody is believed while
   *     it is blank
   */
  static CallbackAuthentication bearer(Supplier<String> token) {
    Objects.requireNonNull(token, "token");
    return new CallbackAuthentication() {
      @Override
      public boolean accepts(MultiMap headers, Buffer body) {
        String sent = headers.get("Authorization");
        String secret = token.get();
        return sent != null && !secret.isBlank() && equal("Bearer " + secret, sent);
      }

      @Override
      public String challenge() {
        return "Bearer";
      }
    };
  }

  /**
   * Believes who signs the body with HMAC-SHA256, as GitHub and others do: the header holds {@code
   * sha256=} and the signature in hexadecimal.
   *
   * @param header the name of the header, such as {@code X-Hub-Signature-256}
   * @param secret the shared secret, asked for at each call; nobody is believed while it is blank
   */
  static CallbackAuthentication hmacSha256(String header, Supplier<String> secret) {
    Objects.requireNonNull(header, "header");
    Objects.requireNonNull(secret, "secret");
    return new CallbackAuthentication() {
      @Override
      public boolean accepts(MultiMap headers, Buffer body) {
        String sent = headers.get(header);
        String key = secret.get();
        return sent != null && !key.isBlank() && equal("sha256=" + sign(key, body), sent);
      }

      @Override
      public String challenge() {
        return "Signature";
      }
    };
  }

  /** Believes everybody who can connect; for addresses that only the right ones can reach. */
  static CallbackAuthentication everybody() {
    return new CallbackAuthentication() {
      @Override
      public boolean accepts(MultiMap headers, Buffer body) {
        return true;
      }

      @Override
      public String challenge() {
        return "None";
      }
    };
  }

  /** Compares in a time that does not tell how much is right. */
  private static boolean equal(String expected, String sent) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
  }

  private static String sign(String key, Buffer body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(body.getBytes()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }
}
