// SPDX-License-Identifier: Apache-2.0
/**
 * Which events matter: {@link dev.coxswain.k8s.predicate.Predicates} has the usual ones, to be
 * joined with and, or and not. A source calls them on its own virtual thread before its handler.
 */
@NullMarked
package dev.coxswain.k8s.predicate;

import org.jspecify.annotations.NullMarked;
