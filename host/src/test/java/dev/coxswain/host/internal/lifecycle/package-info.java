// SPDX-License-Identifier: Apache-2.0
/** Tests of the package of the same name. */
@NullMarked
package dev.coxswain.host.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
