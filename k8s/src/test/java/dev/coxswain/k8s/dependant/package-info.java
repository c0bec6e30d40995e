// SPDX-License-Identifier: Apache-2.0
/** Tests of declared dependants. */
@NullMarked
package dev.coxswain.k8s.dependant;

import org.jspecify.annotations.NullMarked;
