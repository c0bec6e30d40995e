// SPDX-License-Identifier: Apache-2.0
/** Tests of the configuration. */
@NullMarked
package dev.coxswain.host.config;

import org.jspecify.annotations.NullMarked;
