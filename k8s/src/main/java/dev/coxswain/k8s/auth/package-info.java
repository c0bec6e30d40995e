// SPDX-License-Identifier: Apache-2.0
/**
 * Asks the API server who a token stands for and what somebody may do: {@link
 * dev.coxswain.k8s.auth.AccessReviews}, for servers of this process that leave both to Kubernetes.
 * Calls block.
 */
@NullMarked
package dev.coxswain.k8s.auth;

import org.jspecify.annotations.NullMarked;
