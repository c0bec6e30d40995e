// SPDX-License-Identifier: Apache-2.0
/** The parts of the load on the admin API of real replicas, each with its figures. */
@NullMarked
package dev.coxswain.bench.admin.part;

import org.jspecify.annotations.NullMarked;
