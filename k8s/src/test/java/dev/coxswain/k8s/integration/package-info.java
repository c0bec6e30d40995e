// SPDX-License-Identifier: Apache-2.0
/** The module as a whole against the embedded API server and its faults. */
@NullMarked
package dev.coxswain.k8s.integration;

import org.jspecify.annotations.NullMarked;
