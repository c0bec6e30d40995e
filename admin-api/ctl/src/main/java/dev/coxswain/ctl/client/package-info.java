// SPDX-License-Identifier: Apache-2.0
/** The HTTP client of the admin API, and how it finds its server and its token. */
@NullMarked
package dev.coxswain.ctl.client;

import org.jspecify.annotations.NullMarked;
