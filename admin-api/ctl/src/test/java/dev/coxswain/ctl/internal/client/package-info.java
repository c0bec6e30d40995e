// SPDX-License-Identifier: Apache-2.0
/** Tests of the command line of the admin API. */
@NullMarked
package dev.coxswain.ctl.internal.client;

import org.jspecify.annotations.NullMarked;
