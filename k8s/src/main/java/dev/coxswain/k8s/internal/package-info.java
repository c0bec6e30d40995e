// SPDX-License-Identifier: Apache-2.0
/** Parts that several packages of this module share. Not promised to other modules. */
@NullMarked
package dev.coxswain.k8s.internal;

import org.jspecify.annotations.NullMarked;
