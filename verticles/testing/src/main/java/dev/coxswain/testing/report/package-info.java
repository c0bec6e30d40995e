// SPDX-License-Identifier: Apache-2.0
/** What benchmarks and long tests print and exchange: tables, statistics, records as lines of text. */
@NullMarked
package dev.coxswain.testing.report;

import org.jspecify.annotations.NullMarked;
