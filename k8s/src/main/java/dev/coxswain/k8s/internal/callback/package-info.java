// SPDX-License-Identifier: Apache-2.0
/**
 * Calls that a source received for requests of other replicas: {@link
 * dev.coxswain.k8s.internal.callback.ForwardClient} sends them on. Called by {@code
 * dev.coxswain.k8s.source} on the event loop of a controller; nothing blocks.
 */
@NullMarked
package dev.coxswain.k8s.internal.callback;

import org.jspecify.annotations.NullMarked;
