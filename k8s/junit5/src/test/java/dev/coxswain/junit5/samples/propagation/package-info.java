// SPDX-License-Identifier: Apache-2.0
/** The sample of multicluster-runtime that pushes ConfigMaps to other clusters. */
@NullMarked
package dev.coxswain.junit5.samples.propagation;

import org.jspecify.annotations.NullMarked;
