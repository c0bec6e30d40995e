// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import java.time.Instant;
import java.util.Map;

/**
 * The facts of an operation that do not change while it runs. Every replica stores them, also a
 * replica without a part of it, so that the operation remains known when its participants are gone.
 * Immutable.
 *
 * @param actor the principal that requested it
 * @param startedAt its start, or the time when this replica received the record
 */
record OperationRecord(
    OperationHeader header,
    String controller,
    OperationRequest request,
    String actor,
    Instant startedAt) {

  /**
   * The subject of an operation.
   *
   * @param namespace the one namespace, empty for all of them
   */
  record Subject(String controller, String namespace) {}

  String id() {
    return header.id();
  }

  Subject subject() {
    return new Subject(controller, request.namespace());
  }

  /** Returns it with the replicas that refused their parts, and the kinds of their problems. */
  OperationRecord refusedBy(Map<String, String> replicas) {
    return new OperationRecord(header.refusedBy(replicas), controller, request, actor, startedAt);
  }
}
