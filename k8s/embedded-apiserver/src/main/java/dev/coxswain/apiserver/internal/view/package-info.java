// SPDX-License-Identifier: Apache-2.0

/** Other representations of objects: tables and metadata only. Any thread. */
@NullMarked
package dev.coxswain.apiserver.internal.view;

import org.jspecify.annotations.NullMarked;
