// SPDX-License-Identifier: Apache-2.0
/** Tests of the configuration. */
@NullMarked
package dev.coxswain.host.internal.config;

import org.jspecify.annotations.NullMarked;
