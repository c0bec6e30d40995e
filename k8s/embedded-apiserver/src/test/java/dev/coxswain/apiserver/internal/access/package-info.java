// SPDX-License-Identifier: Apache-2.0

/** Tests of who may do what below the server. */
@NullMarked
package dev.coxswain.apiserver.internal.access;

import org.jspecify.annotations.NullMarked;
