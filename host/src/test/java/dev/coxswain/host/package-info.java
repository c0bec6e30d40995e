// SPDX-License-Identifier: Apache-2.0
/** Tests of the whole host in one process. */
@NullMarked
package dev.coxswain.host;

import org.jspecify.annotations.NullMarked;
