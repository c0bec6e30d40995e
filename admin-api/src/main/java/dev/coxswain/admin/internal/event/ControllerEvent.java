// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.model.ControllerResource;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The data of an event about a controller; its components are those of a controller. */
@RecordBuilder
public record ControllerEvent(
    String replica,
    String controller,
    String state,
    @Nullable String error,
    @Nullable Boolean paused,
    @Nullable Integer causesPaused,
    @Nullable Map<String, Integer> counts,
    @Nullable Integer total,
    @Nullable Integer failing,
    @Nullable Integer dirty,
    @Nullable Integer overdue,
    @Nullable Integer maxConcurrent,
    @Nullable Integer activeWorkers,
    @Nullable List<ControllerResource.Condition> conditions,
    @Nullable Double oldestReadySeconds,
    @Nullable Instant nextReadyAt,
    @Nullable Instant asOf,
    @Nullable Instant since,
    @Nullable String lastOwner,
    @Nullable Boolean owned) {}
