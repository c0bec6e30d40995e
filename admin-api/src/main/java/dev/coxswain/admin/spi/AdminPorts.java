// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import java.util.Objects;

/**
 * The ports of the host besides the controllers.
 *
 * <p>Thread rule: immutable.
 *
 * @param audit where audit records are written
 * @param telemetry counts refusals
 */
public record AdminPorts(AuditSink audit, AdminTelemetry telemetry) {

  /** Audit records go to the logger {@code audit}; nothing is counted. */
  public static final AdminPorts DEFAULT = new AdminPorts(AuditSink.logger(), AdminTelemetry.NONE);

  public AdminPorts {
    Objects.requireNonNull(audit, "audit");
    Objects.requireNonNull(telemetry, "telemetry");
  }
}
