// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.admin.spi.AdminTelemetry.FailedLogin;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.Map;

/**
 * Counts, limits and audits refused credentials by remote address. There is one audit record per
 * address and minute, with the number of refusals since the last one, and one per second for all
 * addresses. Confined to the admin event loop.
 */
public final class FailedLogins {

  /** The type of the problem for too many refused tokens. */
  private static final String TOO_MANY = "too-many-attempts";

  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MAX_ADDRESSES = 1024;

  /**
   * The rate of refused tokens of one address that get 401, per second; the burst is twice the
   * rate.
   */
  private static final int PER_ADDRESS = 10;

  private final Clock clock;
  private final AuditTrail trail;
  private final AdminTelemetry telemetry;
  private final RateLimits<String> byAddress;
  private final RateLimits<String> records;
  private final Map<String, Refused> addresses = new RateLimits.Recent<>(MAX_ADDRESSES);

  private static final class Refused {
    private long unreported;
    private long reportedAt;
    private boolean reported;
  }

  public FailedLogins(Clock clock, AuditTrail trail, AdminTelemetry telemetry) {
    this.clock = clock;
    this.trail = trail;
    this.telemetry = telemetry;
    this.byAddress = new RateLimits<>(clock, PER_ADDRESS, MAX_ADDRESSES);
    this.records = new RateLimits<>(clock, 1, 1);
  }

  /** Counts a request without credentials. */
  void missing() {
    telemetry.loginFailed(FailedLogin.MISSING);
  }

  /** Counts and audits refused credentials; a {@link Rejection} when the address sends too many. */
  void refused(FailedLogin why, String address, String remote) {
    telemetry.loginFailed(why);
    audit(address, remote);
    if (why != FailedLogin.LIMITED && !byAddress.take(address)) {
      throw tooMany(byAddress.retryAfter());
    }
  }

  /** Returns the refusal of an address that sends too many refused tokens. */
  static Rejection tooMany(long retryAfter) {
    return Problem.tooMany(
            "too-many-attempts",
            "Too many attempts",
            "too many refused tokens were sent from this address; check the token and try again"
                + " later",
            retryAfter)
        .rejection();
  }

  /** Returns whether a request was refused by a limit for refused tokens. */
  static boolean isTooMany(Rejection rejection) {
    return rejection.problem().slug().equals(TOO_MANY);
  }

  private void audit(String address, String remote) {
    Refused refused = addresses.computeIfAbsent(address, a -> new Refused());
    refused.unreported++;
    long now = clock.nanos();
    boolean due = !refused.reported || now - refused.reportedAt >= PERIOD.toNanos();
    if (due && records.take("")) {
      trail.refusedLogin(remote, refused.unreported);
      refused.reported = true;
      refused.reportedAt = now;
      refused.unreported = 0;
    }
  }
}
