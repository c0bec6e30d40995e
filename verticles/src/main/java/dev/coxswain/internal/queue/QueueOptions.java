// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link WorkQueue}.
 *
 * <p>Thread rule: immutable.
 *
 * @param <K> the type of the requests
 * @param backoff how long a request waits after a failure
 * @param composition how the backoff and the retry budget are combined
 * @param agingStep how long an item must wait to overtake one whose priority is higher by one; zero
 *     for strict priorities
 * @param flowOf the flow of a request, for flows that take turns; null for none
 */
public record QueueOptions<K>(
    Backoff backoff,
    Composition composition,
    Duration agingStep,
    @Nullable Function<? super K, ?> flowOf) {

  public QueueOptions {
    Objects.requireNonNull(backoff, "backoff");
    Objects.requireNonNull(composition, "composition");
    if (agingStep.isNegative()) {
      throw new IllegalArgumentException("agingStep must not be negative: " + agingStep);
    }
  }
}
