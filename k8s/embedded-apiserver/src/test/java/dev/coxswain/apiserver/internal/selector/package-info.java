// SPDX-License-Identifier: Apache-2.0

/** Tests of selectors. */
@NullMarked
package dev.coxswain.apiserver.internal.selector;

import org.jspecify.annotations.NullMarked;
