// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.http.internal.ServerCertificate;
import java.util.Arrays;

/**
 * A certificate with its key and the authority that clients trust, as PEM.
 *
 * <p>Thread rule: immutable; the arrays are not changed.
 */
final class WebhookCertificate {

  private final byte[] chain;
  private final byte[] key;
  private final byte[] authority;

  WebhookCertificate(byte[] chain, byte[] key, byte[] authority) {
    this.chain = chain.clone();
    this.key = key.clone();
    this.authority = authority.clone();
  }

  /** Returns the form that a server takes. */
  ServerCertificate served() {
    return new ServerCertificate(chain, key);
  }

  byte[] authority() {
    return authority.clone();
  }

  boolean same(WebhookCertificate other) {
    return Arrays.equals(chain, other.chain)
        && Arrays.equals(key, other.key)
        && Arrays.equals(authority, other.authority);
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "WebhookCertificate[" + Arrays.hashCode(chain) + "]";
  }
}
