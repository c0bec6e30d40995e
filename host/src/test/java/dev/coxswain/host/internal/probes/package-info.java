// SPDX-License-Identifier: Apache-2.0
/** Tests of probes and of the watchdog of event loops. */
@NullMarked
package dev.coxswain.host.internal.probes;

import org.jspecify.annotations.NullMarked;
