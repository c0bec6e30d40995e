// SPDX-License-Identifier: Apache-2.0
/** Label selectors, evaluated in this process as the API server evaluates them. */
@NullMarked
package dev.coxswain.k8s.selector;

import org.jspecify.annotations.NullMarked;
