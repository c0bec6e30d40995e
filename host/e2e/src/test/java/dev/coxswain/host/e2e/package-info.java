// SPDX-License-Identifier: Apache-2.0
/**
 * Tests that run the launcher script as a user does, as real processes. They run after the
 * packaging.
 */
@NullMarked
package dev.coxswain.host.e2e;

import org.jspecify.annotations.NullMarked;
