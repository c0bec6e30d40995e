// SPDX-License-Identifier: Apache-2.0
/**
 * The cost and speed of the admin API with long queues: real replicas of
 * {@code coxswain dev}, one controller whose items wait, one that is busy, and HTTP calls from
 * outside. It uses the documented API only.
 */
@NullMarked
package dev.coxswain.bench.admin;

import org.jspecify.annotations.NullMarked;
