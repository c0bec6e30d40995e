// SPDX-License-Identifier: Apache-2.0
/** Tests of the reload of the configuration. */
@NullMarked
package dev.coxswain.host.internal.reload;

import org.jspecify.annotations.NullMarked;
