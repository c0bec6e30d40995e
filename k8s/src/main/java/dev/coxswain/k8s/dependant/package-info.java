// SPDX-License-Identifier: Apache-2.0
/**
 * Dependants as a declaration: what a controller makes for its primary object, as functions of it.
 *
 * <p>{@link dev.coxswain.k8s.dependant.Dependants} watches them, applies them server-side in their
 * order and deletes them in reverse. A reconciler calls {@link dev.coxswain.k8s.dependant.Dependants#apply} on its own
 * thread, in its attempt; nothing happens by itself.
 */
@NullMarked
package dev.coxswain.k8s.dependant;

import org.jspecify.annotations.NullMarked;
