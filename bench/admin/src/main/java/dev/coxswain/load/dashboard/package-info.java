// SPDX-License-Identifier: Apache-2.0
/**
 * How fast the dashboard is in a browser: a real host with many controllers and a long queue, and
 * Debian's Chromium, driven by the WebDriver protocol.
 */
@NullMarked
package dev.coxswain.load.dashboard;

import org.jspecify.annotations.NullMarked;
