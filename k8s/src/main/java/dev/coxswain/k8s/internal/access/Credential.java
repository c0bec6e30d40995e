// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * What authenticates requests: a header, a client certificate, both, or nothing when the kubeconfig
 * says so. Compared by identity.
 *
 * <p>Thread rule: immutable.
 */
final class Credential {

  static final Credential NONE = new Credential("", null);

  private final String authorization;
  private final @Nullable SSLSocketFactory sockets;

  private Credential(String authorization, @Nullable SSLSocketFactory sockets) {
    this.authorization = authorization;
    this.sockets = sockets;
  }

  /**
   * Returns a bearer token; white space around it is no part of it.
   *
   * @throws IllegalArgumentException when it is empty, or a header cannot carry it
   */
  static Credential bearer(String token) {
    String stripped = token.strip();
    if (stripped.isEmpty()) {
      throw new IllegalArgumentException("there is no token");
    }
    if (!stripped.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new IllegalArgumentException(
          "the token has a space, a line break or another character that a header cannot carry");
    }
    return new Credential("Bearer " + stripped, null);
  }

  static Credential basic(String user, String password) {
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return new Credential("Basic " + Base64.getEncoder().encodeToString(both), null);
  }

  /** Returns the same with connections that present a client certificate. */
  Credential withSockets(SSLSocketFactory factory) {
    return new Credential(authorization, factory);
  }

  /** Returns the Authorization header; empty for none. */
  String authorization() {
    return authorization;
  }

  /** Returns the connections with the client certificate, or null for none. */
  @Nullable SSLSocketFactory sockets() {
    return sockets;
  }

  /** Hides the secret. */
  @Override
  public String toString() {
    return "credential";
  }
}
