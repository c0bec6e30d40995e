// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.resource.AuditFilter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a timeline; what is null is not filtered. Immutable.
 *
 * @param since the time of the oldest event
 * @param until the time that all events are before
 * @param controller events of this controller, and those of no controller
 * @param causesOfAnyTime whether causes match that were seen before that time
 */
record TimelineQuery(
    @Nullable Instant since,
    @Nullable Instant until,
    @Nullable String type,
    @Nullable String controller,
    int limit,
    boolean causesOfAnyTime) {

  static final int MAX_LIMIT = 500;
  static final int DEFAULT_LIMIT = 100;

  static TimelineQuery of(Query query) {
    String type = query.text("type", 64);
    if (type != null && !TimelineType.labels().contains(type)) {
      query.fault(
          "type",
          "must be one of "
              + String.join(", ", TimelineType.labels())
              + ", found \""
              + Json.line(type, 64)
              + "\"");
    }
    return new TimelineQuery(
        AuditFilter.since(query),
        AuditFilter.time(query, "until"),
        type,
        query.text("controller", 253),
        query.number("limit", 1, MAX_LIMIT, DEFAULT_LIMIT),
        false);
  }

  TimelineQuery withoutTimeOfCauses() {
    return new TimelineQuery(since, until, type, controller, limit, true);
  }

  boolean wants(TimelineType one) {
    return type == null || type.equals(one.label());
  }

  boolean matches(TimelineEvent event) {
    boolean isInTime =
        !isTooOld(event.at())
            || (causesOfAnyTime && event.type().equals(TimelineType.CAUSE_FIRST_SEEN.label()));
    return isInTime
        && (until == null || event.at().isBefore(until))
        && (type == null || type.equals(event.type()))
        && (controller == null
            || event.controller() == null
            || controller.equals(event.controller()));
  }

  boolean isTooOld(Instant at) {
    return since != null && at.isBefore(since);
  }
}
