// SPDX-License-Identifier: Apache-2.0
/** A real browser for the tests of the dashboard and for the pictures of the guides. */
@NullMarked
package dev.coxswain.host.e2e.browser;

import org.jspecify.annotations.NullMarked;
