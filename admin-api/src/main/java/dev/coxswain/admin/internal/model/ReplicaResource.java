// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.value.SizedValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A replica of the cluster.
 *
 * @param name its name in events; {@code replica} elsewhere
 * @param state how it answered, with its {@code error}
 * @param self whether it is the replica that responds
 * @param pool whether it is a member of the pool of shared limiters
 * @param slots how many slots it owns, with its {@code weight}; null without slots
 * @param epoch a text that is another one after a restart of the host
 */
@RecordBuilder
public record ReplicaResource(
    String kind,
    @Nullable String name,
    @Nullable String replica,
    @Nullable String state,
    @Nullable String error,
    @Nullable Boolean self,
    @Nullable String address,
    @Nullable Integer ordinal,
    @Nullable String generation,
    @Nullable Instant since,
    @Nullable Boolean pool,
    @Nullable Map<String, String> addresses,
    @Nullable Integer weight,
    @Nullable Boolean drained,
    @Nullable Boolean leaving,
    @Nullable Integer slots,
    @Nullable String epoch,
    @Nullable String version,
    @Nullable Instant startedAt,
    @Nullable List<ControllerResource.Condition> conditions,
    @Nullable List<Controller> controllers)
    implements SizedValue, ReplicaResourceBuilder.With {

  public static final String KIND = "Replica";

  @Override
  public int entries() {
    return 1 + (controllers == null ? 0 : controllers.size() / 4);
  }

  /** A controller of a replica; its ownership is null when it does not run. */
  public record Controller(String name, String state, @Nullable String ownership) {}
}
