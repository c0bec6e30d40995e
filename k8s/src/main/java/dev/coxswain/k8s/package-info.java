// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes for controllers: {@link dev.coxswain.k8s.Kubernetes} is the one service that a
 * controller asks its environment for. The host makes one for the whole process and closes it when
 * the last controller has stopped.
 */
@NullMarked
package dev.coxswain.k8s;

import org.jspecify.annotations.NullMarked;
