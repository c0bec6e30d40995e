// SPDX-License-Identifier: Apache-2.0
/** What the benchmarks print and exchange: tables, statistics, records as lines of text. */
@NullMarked
package dev.coxswain.bench.report;

import org.jspecify.annotations.NullMarked;
