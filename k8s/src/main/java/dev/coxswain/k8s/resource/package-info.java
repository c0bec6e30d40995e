// SPDX-License-Identifier: Apache-2.0
/**
 * Typed access to objects: {@link dev.coxswain.k8s.resource.Resource} reads and writes the objects
 * of one {@link dev.coxswain.k8s.resource.ResourceType}; helpers for owner references, finalizers
 * and label selectors.
 *
 * <p>Everything here blocks and belongs on virtual threads. Reconcilers read from caches (see
 * {@code dev.coxswain.k8s.source}) and write here.
 */
@NullMarked
package dev.coxswain.k8s.resource;

import org.jspecify.annotations.NullMarked;
