// SPDX-License-Identifier: Apache-2.0
/**
 * Authentication of tokens and authorization of requests by the API server: {@link
 * dev.coxswain.k8s.auth.AccessReviews}, for servers of this process. Calls block.
 */
@NullMarked
package dev.coxswain.k8s.auth;

import org.jspecify.annotations.NullMarked;
