// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.share;

import org.jspecify.annotations.NullMarked;
