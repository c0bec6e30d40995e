// SPDX-License-Identifier: Apache-2.0
/** Tests of plug-ins with the API server in memory. */
@NullMarked
package dev.coxswain.host.internal.plugins;

import org.jspecify.annotations.NullMarked;
