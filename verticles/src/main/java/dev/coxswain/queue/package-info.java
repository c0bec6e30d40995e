// SPDX-License-Identifier: Apache-2.0
/**
 * The delaying work queue: every request at most once, in one of four phases, with priorities that
 * age, optional fair flows, one deadline heap and no lock.
 *
 * <p>{@link dev.coxswain.queue.WorkQueue} is confined to one event loop; only its controller calls
 * it. People see it through {@link dev.coxswain.queue.QueueSnapshot} and {@link
 * dev.coxswain.queue.QueuedItem}, which are immutable.
 */
@NullMarked
package dev.coxswain.queue;

import org.jspecify.annotations.NullMarked;
