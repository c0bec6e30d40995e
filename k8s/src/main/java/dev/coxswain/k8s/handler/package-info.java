// SPDX-License-Identifier: Apache-2.0
/**
 * Which requests an event leads to: the object itself, its owner, or what a function of one's own
 * finds. A source calls its handler on its own virtual thread.
 */
@NullMarked
package dev.coxswain.k8s.handler;

import org.jspecify.annotations.NullMarked;
