// SPDX-License-Identifier: Apache-2.0
/** Tests of the host's side of the admin API. */
@NullMarked
package dev.coxswain.host.internal.admin;

import org.jspecify.annotations.NullMarked;
