// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes for controllers: {@link dev.coxswain.k8s.Kubernetes} is the service that a controller
 * gets from its environment. The host creates one for the process and closes it when the last
 * controller has stopped.
 */
@NullMarked
package dev.coxswain.k8s;

import org.jspecify.annotations.NullMarked;
