// SPDX-License-Identifier: Apache-2.0
/** Processes of the host, as it is installed, with controllers of a test or a benchmark. */
@NullMarked
package dev.coxswain.testing.host;

import org.jspecify.annotations.NullMarked;
