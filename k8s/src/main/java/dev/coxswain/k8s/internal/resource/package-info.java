// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of the access to resources: patches, retries after conflicts, paths. Used by {@link
 * dev.coxswain.k8s.resource} alone.
 */
@NullMarked
package dev.coxswain.k8s.internal.resource;

import org.jspecify.annotations.NullMarked;
