// SPDX-License-Identifier: Apache-2.0
/** Tests of the whole host in one process. */
@NullMarked
package dev.coxswain.host.internal;

import org.jspecify.annotations.NullMarked;
