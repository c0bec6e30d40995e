// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.host.config.CoxswainConfiguration.Listener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the admin API is served, and to whom.
 *
 * <p>Thread rule: immutable.
 *
 * @param listener where it listens
 * @param access the most that anybody may do
 * @param auth how it finds out who calls and what they may do
 * @param tls its certificate, or null for plain HTTP
 */
public record AdminSettings(Listener listener, AccessLevel access, Auth auth, @Nullable Tls tls) {

  /** For whom the tokens of callers must have been made, unless told otherwise. */
  public static final String DEFAULT_AUDIENCE = "coxswain-admin";

  /** Who says who calls and what they may do. */
  public enum Mode {
    /** The API server. */
    KUBERNETES,
    /** A file. */
    TOKEN_FILE,
    /** Nobody; everybody who reaches the API may do everything. */
    NONE
  }

  /**
   * How callers are known.
   *
   * @param mode who says so; null when nothing is set, which leaves it to the command
   * @param audience for whom tokens must have been made, with Kubernetes
   * @param tokenFile the file, or null
   */
  public record Auth(@Nullable Mode mode, String audience, @Nullable String tokenFile) {

    /** Returns who says so; Kubernetes unless something is set. */
    public Mode effectiveMode() {
      return Objects.requireNonNullElse(mode, Mode.KUBERNETES);
    }
  }

  /**
   * A certificate, in two files that are read again when they change.
   *
   * @param certificate the file with the certificate and those of its authorities, as PEM
   * @param key the file with the private key, as PEM
   */
  public record Tls(String certificate, String key) {}
}
