// SPDX-License-Identifier: Apache-2.0

/** Failures as a Kubernetes API server words them. Any thread. */
@NullMarked
package dev.coxswain.apiserver.internal.status;

import org.jspecify.annotations.NullMarked;
