// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to an API server: TLS with given authorities and client certificates, and proxies.
 * Nothing here knows kubeconfig files or credentials of requests.
 */
@NullMarked
package dev.coxswain.k8s.internal.route;

import org.jspecify.annotations.NullMarked;
