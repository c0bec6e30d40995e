// SPDX-License-Identifier: Apache-2.0

/** Tests of the embedded controllers below the server. */
@NullMarked
package dev.coxswain.apiserver.internal.controller;

import org.jspecify.annotations.NullMarked;
