// SPDX-License-Identifier: Apache-2.0
/** Tests of the development sessions. */
@NullMarked
package dev.coxswain.host.internal.dev;

import org.jspecify.annotations.NullMarked;
