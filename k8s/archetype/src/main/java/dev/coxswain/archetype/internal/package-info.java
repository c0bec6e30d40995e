// SPDX-License-Identifier: Apache-2.0
/**
 * The project of a first controller, from one template: as files, for {@code coxswain new}, and as the
 * resources of a Maven archetype, which the build of this module makes of it.
 */
@NullMarked
package dev.coxswain.archetype.internal;

import org.jspecify.annotations.NullMarked;
