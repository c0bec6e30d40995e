// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.tracing;

import org.jspecify.annotations.NullMarked;
