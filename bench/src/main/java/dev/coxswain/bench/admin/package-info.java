// SPDX-License-Identifier: Apache-2.0
/**
 * What the admin API costs and how fast it answers when the queues are long: real replicas of
 * {@code coxswain dev}, one controller whose items wait, one that is busy, and HTTP calls from
 * outside. It knows of the API what its documentation says.
 */
@NullMarked
package dev.coxswain.bench.admin;

import org.jspecify.annotations.NullMarked;
