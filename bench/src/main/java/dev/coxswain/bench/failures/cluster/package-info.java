// SPDX-License-Identifier: Apache-2.0
/**
 * Real replicas and an API server as processes of their own, for suites that break them: start,
 * end, freeze, and what the replicas recorded.
 */
@NullMarked
package dev.coxswain.bench.failures.cluster;

import org.jspecify.annotations.NullMarked;
