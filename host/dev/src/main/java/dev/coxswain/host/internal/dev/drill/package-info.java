// SPDX-License-Identifier: Apache-2.0
/**
 * {@code coxswain drill}: a development session in which things go wrong, and tasks whose state is
 * read from the admin API.
 */
@NullMarked
package dev.coxswain.host.internal.dev.drill;

import org.jspecify.annotations.NullMarked;
