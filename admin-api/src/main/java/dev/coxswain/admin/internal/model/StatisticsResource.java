// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last hour of a controller, or of all controllers. A point is null where there is no sample.
 *
 * @param controller the controller; null for the sum of all
 * @param window the time that the points cover, with {@code step} from one to the next
 * @param end the time of the last point, {@code ageSeconds} ago
 * @param depth the items by phase
 * @param limiterMode the mode of its limiter, such as {@code hazelcast}
 * @param throughput the completed attempts per second by result
 */
public record StatisticsResource(
    String kind,
    @Nullable String controller,
    String replica,
    String window,
    String step,
    int points,
    @Nullable Instant end,
    double ageSeconds,
    Map<String, List<@Nullable Long>> depth,
    List<@Nullable Long> failing,
    List<@Nullable Double> oldestReadySeconds,
    List<@Nullable Long> limiterWaiters,
    @Nullable String limiterMode,
    Map<String, List<@Nullable Double>> throughput,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements MergedValue {

  @Override
  public int entries() {
    return points;
  }

  @Override
  public StatisticsResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new StatisticsResource(
        kind,
        controller,
        replica,
        window,
        step,
        points,
        end,
        ageSeconds,
        depth,
        failing,
        oldestReadySeconds,
        limiterWaiters,
        limiterMode,
        throughput,
        isPartial,
        states);
  }
}
