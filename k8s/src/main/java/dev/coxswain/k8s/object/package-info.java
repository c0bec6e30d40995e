// SPDX-License-Identifier: Apache-2.0
/**
 * What reconcilers do to their objects again and again: {@link
 * dev.coxswain.k8s.object.StatusConditions}, {@link dev.coxswain.k8s.object.FinalizerRegistry} and
 * {@link dev.coxswain.k8s.object.Expectations}. Finalizers and owner references one by one are in
 * {@link dev.coxswain.k8s.resource}.
 */
@NullMarked
package dev.coxswain.k8s.object;

import org.jspecify.annotations.NullMarked;
