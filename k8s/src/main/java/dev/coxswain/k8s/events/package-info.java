// SPDX-License-Identifier: Apache-2.0
/**
 * Tells people what a controller did, where {@code kubectl describe} shows it: {@link
 * dev.coxswain.k8s.events.EventRecorder} writes Events (events.k8s.io/v1) in the background.
 *
 * <p>Reconcilers call it on any thread and never wait for it. It must be closed.
 */
@NullMarked
package dev.coxswain.k8s.events;

import org.jspecify.annotations.NullMarked;
