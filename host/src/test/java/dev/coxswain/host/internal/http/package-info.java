// SPDX-License-Identifier: Apache-2.0
/** Tests of the small servers. */
@NullMarked
package dev.coxswain.host.internal.http;

import org.jspecify.annotations.NullMarked;
