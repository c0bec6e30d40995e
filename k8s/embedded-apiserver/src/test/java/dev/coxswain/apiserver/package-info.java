// SPDX-License-Identifier: Apache-2.0

/** Tests of the embedded API server through its public API and over HTTP. */
@NullMarked
package dev.coxswain.apiserver;

import org.jspecify.annotations.NullMarked;
