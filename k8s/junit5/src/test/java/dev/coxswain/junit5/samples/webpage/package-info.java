// SPDX-License-Identifier: Apache-2.0
/** The webpage sample of the Java Operator SDK. */
@NullMarked
package dev.coxswain.junit5.samples.webpage;

import org.jspecify.annotations.NullMarked;
