// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.model.OperationResource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The data of an event about an operation; its components are those of an operation. */
record OperationEvent(
    String replica,
    String id,
    String controller,
    String action,
    String state,
    String actor,
    long matched,
    long done,
    long applied,
    long failed,
    long remaining,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {

  OperationEvent(String replica, OperationResource operation) {
    this(
        replica,
        operation.id(),
        operation.controller(),
        operation.request().action(),
        operation.state(),
        operation.actor(),
        operation.matched(),
        operation.done(),
        operation.applied(),
        operation.failed(),
        operation.remaining(),
        operation.startedAt(),
        operation.endedAt());
  }
}
