// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import dev.coxswain.http.internal.ConnectionRefusal;
import java.util.Locale;

/**
 * Counts the refusals of the admin API. Every method does nothing by default.
 *
 * <p>Thread rule: called on the event loop of the admin API; must not block and must not throw.
 */
public interface AdminTelemetry {

  /** Counts nothing. */
  AdminTelemetry NONE = new AdminTelemetry() {};

  /**
   * Why a request was not authenticated.
   *
   * <p>Thread rule: immutable.
   */
  enum FailedLogin {
    /** No credentials were sent. */
    MISSING,
    /** The credentials are not one bearer token. */
    MALFORMED,
    /** The token is unknown, expired or for another audience. */
    REJECTED,
    /** The remote address has sent too many refused tokens; the token was not reviewed. */
    LIMITED;

    /** Returns the value of the metric's label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A connection was closed to keep a limit. */
  default void connectionRefused(ConnectionRefusal why) {}

  /** A request was not authenticated. */
  default void loginFailed(FailedLogin why) {}

  /** An audit record could not be written. */
  default void auditFailed() {}
}
