// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.failures.ownership;

import org.jspecify.annotations.NullMarked;
