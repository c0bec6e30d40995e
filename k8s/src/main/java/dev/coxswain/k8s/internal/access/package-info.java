// SPDX-License-Identifier: Apache-2.0
/**
 * The way to an API server: kubeconfig files and the service account of a pod, credentials and their
 * renewal, TLS and proxies. Called at the start, and by the HTTP client for each request on the
 * thread of the request, which may block. No credential is ever missing silently: what cannot be
 * obtained is an {@link dev.coxswain.k8s.internal.AccessException}.
 */
@NullMarked
package dev.coxswain.k8s.internal.access;

import org.jspecify.annotations.NullMarked;
