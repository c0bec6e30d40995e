// SPDX-License-Identifier: Apache-2.0
/** The dashboard in a real browser, with real replicas behind it. */
@NullMarked
package dev.coxswain.host.e2e.dashboard;

import org.jspecify.annotations.NullMarked;
