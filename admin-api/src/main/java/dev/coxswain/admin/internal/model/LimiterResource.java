// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A limiter on one replica, or merged from several.
 *
 * @param mode such as {@code hazelcast}
 * @param source {@code config} or {@code override}
 * @param refillPerSecond null for no limit
 * @param floor the share of this replica that works without Hazelcast
 * @param replicas the counts of each replica, with its state in a merged limiter
 * @param parts what each replica contributes
 * @param replica the replica that made a change
 */
@RecordBuilder
public record LimiterResource(
    String kind,
    String name,
    String mode,
    String source,
    @Nullable Instant expiresAt,
    long capacity,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
    long waiters,
    long granted,
    long denied,
    boolean degraded,
    @Nullable String degradedReason,
    @Nullable Floor floor,
    List<Share> replicas,
    List<String> consumers,
    @Nullable List<Part> parts,
    @Nullable String result,
    @Nullable String detail,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ChangeResult> results)
    implements MergedValue, ChangedValue, TableValue, LimiterResourceBuilder.With {

  public static final String KIND = "Limiter";

  static final Columns<LimiterResource> COLUMNS =
      Columns.of(LimiterResource::name)
          .name("NAME", "The name of the limiter.", LimiterResource::name)
          .text("MODE", "How it is shared, and whether it is degraded.", LimiterResource::modes)
          .number("RATE", "Retries per second.", LimiterResource::refillPerSecond)
          .integer("BURST", "Retries that may start at once.", LimiterResource::capacity)
          .text("TOKENS", "Retries that may start now.", one -> digits("%.1f", one.tokens()))
          .integer("WAITERS", "Items that wait for a token.", LimiterResource::waiters)
          .integer("GRANTED", "Tokens granted so far.", LimiterResource::granted)
          .integer("DENIED", "Requests denied so far.", LimiterResource::denied)
          .wide()
          .text("SOURCE", "Where its rate comes from.", LimiterResource::source)
          .relative("EXPIRES", "When its override ends.", LimiterResource::expiresAt)
          .text("CONSUMERS", "Its controllers.", one -> String.join(",", one.consumers()))
          .text("REPLICAS", "The replicas of its parts.", one -> one.each(Part::replica))
          .text("WAITERS-EACH", "Waiting items by replica.", one -> one.each(Part::waiters))
          .text("GRANTED-EACH", "Granted tokens by replica.", one -> one.each(Part::granted))
          .text("FLOOR-EACH", "The rate of each replica alone.", one -> one.each(Part::floorRate))
          .text("REASON", "Why it is degraded.", LimiterResource::degradedReason)
          .build();

  /** The share of a replica that works without Hazelcast. */
  public record Floor(
      long capacity,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
      long granted) {}

  /**
   * A replica that shares the limiter.
   *
   * @param waiters null for a replica without counts
   * @param replica its name again, with its state, in a merged limiter
   */
  public record Share(
      String name,
      @Nullable Long waiters,
      @Nullable Long granted,
      @Nullable String replica,
      @Nullable String state,
      @Nullable String error) {}

  /** What one replica contributes. */
  public record Part(
      String replica,
      String mode,
      long capacity,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
      long waiters,
      long granted,
      long denied,
      @Nullable Floor floor,
      boolean degraded,
      @Nullable String degradedReason,
      List<String> consumers) {

    private String floorRate() {
      String rate = floor == null ? null : digits("%.2f/s", floor.refillPerSecond());
      return rate == null ? "-" : rate;
    }
  }

  private String modes() {
    return degraded ? mode + ",degraded" : mode;
  }

  /** Returns a value of each replica, in the same order in every column. */
  private @Nullable String each(Function<Part, Object> value) {
    return parts == null
        ? null
        : parts.stream().map(value).map(String::valueOf).collect(Collectors.joining(","));
  }

  private static @Nullable String digits(String format, @Nullable Double number) {
    return number == null ? null : String.format(Locale.ROOT, format, number);
  }

  @Override
  public TableResource table(TableRequest request) {
    return COLUMNS.table(this, request).from(replica, partial, states());
  }

  /** Returns the states of the replicas, which a merged limiter has. */
  private @Nullable List<ReplicaState> states() {
    List<ReplicaState> states = new ArrayList<>();
    for (Share share : replicas) {
      if (share.replica() != null && share.state() != null) {
        states.add(new ReplicaState(share.replica(), share.state(), share.error()));
      }
    }
    return states.isEmpty() ? null : states;
  }

  @Override
  public LimiterResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return withReplica(replica == null ? self : replica).withPartial(isPartial);
  }

  @Override
  public int entries() {
    return 1 + replicas.size() / 3 + (parts == null ? 0 : parts.size());
  }

  @Override
  public LimiterResource outcome(String value, @Nullable String why) {
    return withResult(value).withDetail(why);
  }

  @Override
  public LimiterResource on(String self, boolean isPartial, List<ChangeResult> all) {
    return withReplica(self).withPartial(isPartial).withResults(all);
  }
}
