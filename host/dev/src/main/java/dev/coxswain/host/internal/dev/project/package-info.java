// SPDX-License-Identifier: Apache-2.0
/** The commands that make an image and a chart of an author's project. */
@NullMarked
package dev.coxswain.host.internal.dev.project;

import org.jspecify.annotations.NullMarked;
