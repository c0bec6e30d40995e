// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.bench.failures.network;

import org.jspecify.annotations.NullMarked;
