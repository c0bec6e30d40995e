// SPDX-License-Identifier: Apache-2.0
/** The HTTP client of the admin API, with discovery of its server and token. */
@NullMarked
package dev.coxswain.ctl.internal.client;

import org.jspecify.annotations.NullMarked;
