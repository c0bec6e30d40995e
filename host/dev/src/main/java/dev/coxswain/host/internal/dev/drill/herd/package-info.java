// SPDX-License-Identifier: Apache-2.0
/**
 * The controllers and objects of the on-call drill, which fail of seven causes. Called by the
 * host, in the replicas of a drill.
 */
@NullMarked
package dev.coxswain.host.internal.dev.drill.herd;

import org.jspecify.annotations.NullMarked;
