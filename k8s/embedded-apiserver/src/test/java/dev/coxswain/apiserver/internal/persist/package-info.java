// SPDX-License-Identifier: Apache-2.0

/** Tests of the data directory below the server. */
@NullMarked
package dev.coxswain.apiserver.internal.persist;

import org.jspecify.annotations.NullMarked;
