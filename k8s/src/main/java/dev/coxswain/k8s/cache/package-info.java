// SPDX-License-Identifier: Apache-2.0
/**
 * Copies of what the API server has, kept up to date: {@link dev.coxswain.k8s.cache.SharedCaches}
 * runs one reflector and one store per {@link dev.coxswain.k8s.cache.CacheKey} and shares them
 * among all controllers of the process.
 *
 * <p>Sources use this; authors of controllers see it as {@link
 * dev.coxswain.k8s.cache.ObjectReader}. Everything runs on virtual threads: one per reflector and
 * one per listener. Whoever asks for a cache must close its handle.
 */
@NullMarked
package dev.coxswain.k8s.cache;

import org.jspecify.annotations.NullMarked;
