// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

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
 * Authentication of callbacks.
 *
 * <p>Thread rule: called on an event loop, must not block.
 */
public interface CallbackAuthentication {

  /** Returns whether a call is authentic. */
  boolean accepts(MultiMap headers, Buffer body);

  /** Returns the value of {@code WWW-Authenticate} for refused calls. */
  String challenge();

  /**
   * Accepts calls with {@code Authorization: Bearer} and the token.
   *
   * @param token the token, read at each call so that it may change; no call is accepted while it
   *     is blank
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
   * Accepts calls whose body is signed with HMAC-SHA256, as by GitHub and others: the header
   * contains {@code sha256=} and the signature in hexadecimal.
   *
   * @param header the name of the header, such as {@code X-Hub-Signature-256}
   * @param secret the shared secret, read at each call; no call is accepted while it is blank
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

  /** Accepts every call; for addresses that only trusted callers can reach. */
  static CallbackAuthentication permitAll() {
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

  /** Compares in constant time. */
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
