// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import java.util.Objects;

/**
 * What the admin API uses of its host besides the controllers.
 *
 * <p>Thread rule: immutable.
 *
 * @param audit where audit records are written
 * @param telemetry counts what is refused
 */
public record AdminPorts(AuditSink audit, AdminTelemetry telemetry) {

  /** The logger {@code audit}, and no counters. */
  public static final AdminPorts DEFAULT = new AdminPorts(AuditSink.logger(), AdminTelemetry.NONE);

  public AdminPorts {
    Objects.requireNonNull(audit, "audit");
    Objects.requireNonNull(telemetry, "telemetry");
  }
}
