// SPDX-License-Identifier: Apache-2.0
/**
 * A test kit that runs controllers in virtual time: a backoff of 1000 s takes no time at all, and
 * every run is the same. Published as {@code coxswain-testkit} for the tests of controllers
 * everywhere.
 *
 * <p>Begin with {@link dev.coxswain.testkit.ControllerTestKit}. Everything here is for the one
 * thread that runs the test.
 */
@NullMarked
package dev.coxswain.testkit;

import org.jspecify.annotations.NullMarked;
