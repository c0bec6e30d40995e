// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import java.time.Instant;

/**
 * What a replica knows of an operation in which it has no part, so that there is somebody who knows
 * of it when those who have are gone.
 *
 * @param actor who ordered it
 * @param notedAt when this replica heard of it
 */
record RemoteOperation(
    OperationHeader ticket,
    String controller,
    OperationRequest order,
    String actor,
    Instant notedAt) {

  String id() {
    return ticket.id();
  }
}
