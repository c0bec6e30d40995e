// SPDX-License-Identifier: Apache-2.0
/** The Memcached sample of Kubebuilder's book. */
@NullMarked
package dev.coxswain.junit5.samples.memcached;

import org.jspecify.annotations.NullMarked;
