// SPDX-License-Identifier: Apache-2.0
/**
 * Runs controllers deterministically: the real engine in virtual time on the thread of the test, the
 * real client and informers against one embedded API server, with gates for calls and watch events.
 */
@NullMarked
package dev.coxswain.junit5.internal.run;

import org.jspecify.annotations.NullMarked;
