// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.whole;

import org.jspecify.annotations.NullMarked;
