// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes Events about the work of a controller, as shown by {@code kubectl describe}: {@link
 * dev.coxswain.k8s.events.EventRecorder} writes Events (events.k8s.io/v1) in the background.
 *
 * <p>Reconcilers call it on any thread and never wait for it. It must be closed.
 */
@NullMarked
package dev.coxswain.k8s.events;

import org.jspecify.annotations.NullMarked;
