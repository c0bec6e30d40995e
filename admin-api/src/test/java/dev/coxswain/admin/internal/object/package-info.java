// SPDX-License-Identifier: Apache-2.0
/** Tests of the explanations of one object by all controllers. */
@NullMarked
package dev.coxswain.admin.internal.object;

import org.jspecify.annotations.NullMarked;
