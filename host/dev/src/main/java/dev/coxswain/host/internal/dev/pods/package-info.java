// SPDX-License-Identifier: Apache-2.0
/**
 * {@code coxswain pods}: the pods of an author's chart as processes of this machine, with the image of the author,
 * for an API server that has no nodes.
 *
 * <p>The command runs on the main thread; each pod has a thread of its own, which is blocked and keeps the process alive.
 */
@NullMarked
package dev.coxswain.host.internal.dev.pods;

import org.jspecify.annotations.NullMarked;
