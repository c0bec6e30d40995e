// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.report;

import org.jspecify.annotations.NullMarked;
