// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of the access to resources: changes of typed objects that keep what the class does not have,
 * patches, retries after conflicts, paths. Used by {@link dev.coxswain.k8s.resource} and {@link
 * dev.coxswain.k8s.webhook}.
 */
@NullMarked
package dev.coxswain.k8s.internal.resource;

import org.jspecify.annotations.NullMarked;
