// SPDX-License-Identifier: Apache-2.0

/** JSON patch, JSON merge patch and strategic merge patch as functions on trees. Any thread. */
@NullMarked
package dev.coxswain.apiserver.internal.patch;

import org.jspecify.annotations.NullMarked;
