// SPDX-License-Identifier: Apache-2.0
/**
 * Informers: local copies of objects of the API server, kept up to date by list and watch.
 *
 * <p>{@link dev.coxswain.k8s.informer.InformerRegistry} runs one reflector and one store for each
 * {@link dev.coxswain.k8s.cache.CacheKey} and shares them among all controllers of the process. A
 * {@link dev.coxswain.k8s.informer.InformerHandle} is one user's share of an informer and must be
 * closed.
 *
 * <p>Each reflector has a platform thread, which user code cannot hold up, and each listener a virtual one.
 */
@NullMarked
package dev.coxswain.k8s.informer;

import org.jspecify.annotations.NullMarked;
