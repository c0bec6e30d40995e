// SPDX-License-Identifier: Apache-2.0
/**
 * The delaying work queue: each request at most once, in one of four phases, with aging priorities,
 * optional fair flows, one deadline heap and no lock.
 *
 * <p>{@link dev.coxswain.internal.queue.WorkQueue} is confined to one event loop. Other threads
 * read it as {@link dev.coxswain.view.QueueSnapshot} and {@link dev.coxswain.view.QueuedItem},
 * which are immutable.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.queue;

import org.jspecify.annotations.NullMarked;
