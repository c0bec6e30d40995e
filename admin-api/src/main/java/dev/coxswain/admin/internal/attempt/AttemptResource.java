// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.attempt;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt ended, or how an operator took the item out of the queue.
 *
 * @param attempt its number in the log; null for an action of an operator
 * @param tookSeconds null for an action of an operator
 * @param readySeconds how long the item was ready before
 * @param tokenSeconds how long it waited for a token; null when it did not
 * @param change the change that caused it
 * @param by the operator that took it out of the queue
 * @param replica the replica that ran it before its slot moved
 */
@RecordBuilder
public record AttemptResource(
    @Nullable Long attempt,
    Instant endedAt,
    String outcome,
    @Nullable Double tookSeconds,
    @Nullable Double readySeconds,
    @Nullable Double tokenSeconds,
    @Nullable String trigger,
    @Nullable Change change,
    @Nullable Integer writes,
    @Nullable String error,
    @Nullable String cause,
    @Nullable String traceId,
    @Nullable String by,
    @Nullable String reason,
    @Nullable String replica) {

  /**
   * A change of an object that a source has observed.
   *
   * @param parts what changed, such as {@code spec}
   * @param writer the controller of the same replica that wrote it
   */
  public record Change(
      String kind,
      @Nullable String namespace,
      String name,
      List<String> parts,
      @Nullable String writer) {}
}
