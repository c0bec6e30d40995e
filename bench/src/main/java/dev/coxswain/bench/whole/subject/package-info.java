// SPDX-License-Identifier: Apache-2.0
/**
 * What runs in the measured processes: the controllers of each subject, which do the same, and the probe that
 * reports their attempts.
 */
@NullMarked
package dev.coxswain.bench.whole.subject;

import org.jspecify.annotations.NullMarked;
