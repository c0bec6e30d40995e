// SPDX-License-Identifier: Apache-2.0
/**
 * The ports of the engine to its host: the time ({@link dev.coxswain.spi.Clock}, {@link
 * dev.coxswain.spi.Alarm}) and the receiver of its metrics ({@link
 * dev.coxswain.spi.ControllerTelemetry}).
 *
 * <p>Production code uses the system clock and an alarm on a Vert.x event loop. Tests use the
 * virtual ones of the test kit: a backoff of 1000 s is then tested in a millisecond. No code of
 * this module calls {@code System.nanoTime}, sleeps or sets a timer in another way.
 */
@NullMarked
package dev.coxswain.spi;

import org.jspecify.annotations.NullMarked;
