// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the webhook server, which runs when a controller declares a webhook.
 *
 * <p>Thread rule: immutable.
 *
 * @param listener where it listens
 * @param service the Service by which the API server reaches it, as {@code NAMESPACE/NAME}, or null
 * @param url the address at which the API server reaches it, or null for that of the listener
 * @param secret the name of the Secret with the certificate
 * @param tls files with the certificate instead of the Secret, or null
 */
public record WebhookSettings(
    Listener listener,
    @Nullable String service,
    @Nullable String url,
    String secret,
    @Nullable Tls tls) {

  /** The default port. */
  public static final int DEFAULT_PORT = 9443;

  /** The default name of the Secret. */
  public static final String DEFAULT_SECRET = "coxswain-webhooks";

  /**
   * A certificate, in files that are reloaded when they change.
   *
   * @param certificate the file with the certificate and those of its authorities, as PEM
   * @param key the file with the private key, as PEM
   * @param authority the file with the authority that API servers trust; null for the certificate
   */
  public record Tls(String certificate, String key, @Nullable String authority) {

    /** Returns all files: certificate, key, authority. */
    public List<String> files() {
      return List.of(certificate, key, authority == null ? certificate : authority);
    }
  }
}
