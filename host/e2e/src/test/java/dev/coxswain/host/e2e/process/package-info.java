// SPDX-License-Identifier: Apache-2.0
/** What the tests with real processes share: launcher, distribution, programs from Debian, and calls. */
@NullMarked
package dev.coxswain.host.e2e.process;

import org.jspecify.annotations.NullMarked;
