// SPDX-License-Identifier: Apache-2.0
/**
 * The access rights that a controller needs, as Roles or as rules of the Helm chart. Called by {@code
 * coxswain rbac} and by tests of authors, on any thread; building a controller may block.
 */
@NullMarked
package dev.coxswain.authoring.rbac;

import org.jspecify.annotations.NullMarked;
