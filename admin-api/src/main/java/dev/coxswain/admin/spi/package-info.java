// SPDX-License-Identifier: Apache-2.0
/**
 * The ports of the admin API that a host implements: the controllers it shows ({@link
 * dev.coxswain.admin.spi.ControllerDirectory}), the owners of its slots ({@link
 * dev.coxswain.admin.spi.SlotDirectory}), limiter overrides, stored pauses, the audit log and
 * metrics.
 *
 * <p>Methods are called on the event loop of the admin API and must not block there, unless their
 * contract says otherwise.
 */
@NullMarked
package dev.coxswain.admin.spi;

import org.jspecify.annotations.NullMarked;
