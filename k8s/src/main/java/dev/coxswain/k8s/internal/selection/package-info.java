// SPDX-License-Identifier: Apache-2.0
/** What a watch receives of a cache that keeps some slots: chosen by the server, filtered here. */
@NullMarked
package dev.coxswain.k8s.internal.selection;

import org.jspecify.annotations.NullMarked;
