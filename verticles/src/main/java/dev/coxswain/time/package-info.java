// SPDX-License-Identifier: Apache-2.0
/**
 * The only way the engine sees time: a monotonic {@link dev.coxswain.time.Clock} and an {@link
 * dev.coxswain.time.Alarm} that wakes its owner.
 *
 * <p>Production code is given the system clock and an alarm on its Vert.x event loop; tests are
 * given virtual ones by the test kit, so that a backoff of 1000 s is tested in a millisecond. No
 * code of this module calls {@code System.nanoTime}, sleeps or sets a timer in any other way.
 */
@NullMarked
package dev.coxswain.time;

import org.jspecify.annotations.NullMarked;
