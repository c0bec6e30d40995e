// SPDX-License-Identifier: Apache-2.0
/** The commands that make an image, a chart and manifests of an author's project, and verify it. */
@NullMarked
package dev.coxswain.host.internal.dev.project;

import org.jspecify.annotations.NullMarked;
