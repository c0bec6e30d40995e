// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.failures.cluster;

import org.jspecify.annotations.NullMarked;
