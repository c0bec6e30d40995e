// SPDX-License-Identifier: Apache-2.0
/** What a change of an object was, and which attempt of this process has written it. */
@NullMarked
package dev.coxswain.k8s.internal.change;

import org.jspecify.annotations.NullMarked;
