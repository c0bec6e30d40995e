// SPDX-License-Identifier: Apache-2.0
/**
 * Straight access to the API server: {@link dev.coxswain.k8s.client.Resource} reads and writes the
 * objects of one {@link dev.coxswain.k8s.client.ResourceType}, with time limits on every call and
 * with one exception for all failures, {@link dev.coxswain.k8s.client.ApiStatusException}.
 *
 * <p>Everything here blocks and belongs on virtual threads, where blocking reconcilers run anyway.
 * Reconcilers should read from caches (see {@code dev.coxswain.k8s.source}) and come here to write.
 */
@NullMarked
package dev.coxswain.k8s.client;

import org.jspecify.annotations.NullMarked;
