// SPDX-License-Identifier: Apache-2.0
/**
 * Access to the API server over HTTP, with a time limit for each call and one exception for all
 * failures, {@link dev.coxswain.k8s.client.ApiStatusException}.
 *
 * <p>Everything here blocks and belongs on virtual threads, on which blocking reconcilers run.
 */
@NullMarked
package dev.coxswain.k8s.client;

import org.jspecify.annotations.NullMarked;
