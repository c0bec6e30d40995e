// SPDX-License-Identifier: Apache-2.0
/**
 * The reconcile loop of one controller: the inbox that moves requests from other threads to the
 * event loop, the workers, the attempts and what follows from their outcomes.
 *
 * <p>Everything is confined to the event loop of the controller, except {@link
 * dev.coxswain.internal.loop.Inbox}.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.loop;

import org.jspecify.annotations.NullMarked;
