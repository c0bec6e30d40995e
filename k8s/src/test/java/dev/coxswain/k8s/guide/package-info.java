// SPDX-License-Identifier: Apache-2.0
/** The code of {@code docs/guides/api.md}, compiled and run. */
@NullMarked
package dev.coxswain.k8s.guide;

import org.jspecify.annotations.NullMarked;
