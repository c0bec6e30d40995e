// SPDX-License-Identifier: Apache-2.0
/** Metrics as Prometheus reads them, the alerts and the boards. */
@NullMarked
package dev.coxswain.host.e2e.monitoring;

import org.jspecify.annotations.NullMarked;
