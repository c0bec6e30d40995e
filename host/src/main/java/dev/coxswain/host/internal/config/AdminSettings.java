// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the admin API.
 *
 * <p>Thread rule: immutable.
 *
 * @param listener where it listens
 * @param access the most that any caller may do
 * @param auth authentication and authorization of callers
 * @param tls its certificate, or null for plain HTTP
 * @param links the addresses of the traces and the logs of attempts, each with places to fill in
 */
public record AdminSettings(
    Listener listener,
    AccessLevel access,
    Auth auth,
    @Nullable TlsFiles tls,
    Map<String, String> links) {

  public AdminSettings {
    links = Map.copyOf(links);
  }

  /** The default audience of tokens. */
  public static final String DEFAULT_AUDIENCE = "coxswain-admin";

  /** The authority on callers and their rights. */
  public enum Mode {
    /** Token and access reviews of the API server. */
    KUBERNETES,
    /** A file of principals and token hashes. */
    TOKEN_FILE,
    /** No authentication; every caller may do everything. */
    NONE
  }

  /**
   * Authentication and authorization of callers.
   *
   * @param mode the authority; null when not set, which leaves it to the command
   * @param audience the audience of tokens, with Kubernetes
   * @param tokenFile the file, or null
   */
  public record Auth(@Nullable Mode mode, String audience, @Nullable String tokenFile) {

    /** Returns the authority; Kubernetes by default. */
    public Mode effectiveMode() {
      return Objects.requireNonNullElse(mode, Mode.KUBERNETES);
    }
  }
}
