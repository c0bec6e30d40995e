// SPDX-License-Identifier: Apache-2.0
/** Tests of the rules in CEL. */
@NullMarked
package dev.coxswain.apiserver.internal.cel;

import org.jspecify.annotations.NullMarked;
