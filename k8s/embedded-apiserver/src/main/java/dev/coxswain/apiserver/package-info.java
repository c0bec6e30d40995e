// SPDX-License-Identifier: Apache-2.0

/**
 * A Kubernetes API server in memory, <b>for development and tests only</b>: no security worth the
 * name, one process.
 *
 * <p>Start it with {@link dev.coxswain.apiserver.EmbeddedApiServer}, break it with {@link
 * dev.coxswain.apiserver.Faults}. All state lives on one event loop; everything public here may be
 * called from any thread. The caller that starts a server must close it.
 */
@NullMarked
package dev.coxswain.apiserver;

import org.jspecify.annotations.NullMarked;
