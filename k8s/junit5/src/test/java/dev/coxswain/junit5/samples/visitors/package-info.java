// SPDX-License-Identifier: Apache-2.0
/** The Visitors Site of the book "Kubernetes Operators". */
@NullMarked
package dev.coxswain.junit5.samples.visitors;

import org.jspecify.annotations.NullMarked;
