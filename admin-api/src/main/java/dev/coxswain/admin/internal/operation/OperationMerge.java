// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.model.OperationResource.Count;
import dev.coxswain.admin.internal.model.OperationResource.Part;
import dev.coxswain.admin.internal.model.OperationResourceBuilder;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges the parts of an operation, or of a preview, from several replicas. A part without a report
 * of its replica is {@code Unknown}.
 */
public final class OperationMerge {

  private static final int MAX_SAMPLE = 10;

  private OperationMerge() {}

  /**
   * Merges an operation.
   *
   * @param found the answers that contain the operation, or its record of a remote one
   * @param all the answers of all replicas
   * @param log receives the final parts, and supplies those of replicas that are gone
   */
  public static OperationResource operation(
      List<PeerAnswer> found, Collection<PeerAnswer> all, OperationLog log) {
    Map<String, OperationResource> known = new TreeMap<>();
    Set<String> participants = new TreeSet<>();
    Map<String, String> refusals = new TreeMap<>();
    Map<String, OperationResource> finals = new TreeMap<>();
    for (PeerAnswer answer : found) {
      OperationResource operation = answer.as(OperationResource.class);
      refusals.putAll(orNone(operation.refusals()));
      orNone(operation.finalParts()).forEach(finals::putIfAbsent);
      participants.addAll(orNone(operation.participants()));
      if (!operation.state().equals(OperationView.UNKNOWN)) {
        known.put(answer.replica(), operation);
      }
    }
    participants.addAll(known.keySet());
    OperationResource any =
        Collections.min(found, Comparator.comparing(PeerAnswer::replica))
            .as(OperationResource.class);
    lastKnown(known, finals, participants, log, any.id());
    List<OperationResource> parts = List.copyOf(known.values());
    OperationResource whole = (parts.isEmpty() ? any : parts.getFirst()).shown();
    if (parts.size() > 1) {
      whole = sum(whole, parts);
    }
    Set<String> states = new LinkedHashSet<>();
    List<String> absent = new ArrayList<>();
    List<Part> shown = new ArrayList<>();
    for (String participant : participants) {
      OperationResource part = known.get(participant);
      Part one = part != null ? part.part(participant) : absent(participant, refusals, all);
      if (part == null || !changesNothing(part, parts)) {
        states.add(one.state());
      }
      shown.add(one);
      if (part == null) {
        absent.add(participant + ": " + one.state() + ", " + one.detail());
      }
    }
    if (states.contains(Operation.State.RUNNING.label())) {
      whole = whole.withEndedAt(null);
    }
    if (states.isEmpty() || (parts.size() > 1 && whole.allSkipped() && succeeded(states))) {
      states = failed();
      whole = whole.withDetail(Operation.noneOf((int) whole.matched()));
    } else if (succeeded(states) && whole.matched() == 0) {
      states = failed();
      whole = whole.withDetail("no item matches; nothing was changed");
    }
    return withAbsent(whole, parts, absent).withState(state(states)).withParts(shown);
  }

  /** Adds the reasons of the parts that the counts of the whole operation miss. */
  private static OperationResource withAbsent(
      OperationResource whole, List<OperationResource> parts, List<String> absent) {
    if (parts.isEmpty() || absent.isEmpty()) {
      return whole;
    }
    String more = parts.size() == 1 ? whole.detail() : null;
    String detail = String.join("; ", absent) + (more == null ? "" : "; " + more);
    return whole.withDetail(Json.line(detail, Json.MAX_ERROR_TEXT));
  }

  private static <T> Collection<T> orNone(@Nullable Collection<T> values) {
    return values == null ? List.of() : values;
  }

  private static <V> Map<String, V> orNone(@Nullable Map<String, V> values) {
    return values == null ? Map.of() : values;
  }

  private static Set<String> failed() {
    return new LinkedHashSet<>(Set.of(Operation.State.FAILED.label()));
  }

  /** Whether a part is Failed only for want of anything to change, which is none of the whole. */
  private static boolean changesNothing(OperationResource part, List<OperationResource> parts) {
    return parts.size() > 1
        && part.state().equals(Operation.State.FAILED.label())
        && part.allSkipped();
  }

  private static boolean succeeded(Set<String> states) {
    return states.equals(Set.of(Operation.State.SUCCEEDED.label()));
  }

  /**
   * Stores the final parts, and adds the last known ones of replicas that no longer report theirs:
   * what is finished does not change when its replica is gone.
   */
  private static void lastKnown(
      Map<String, OperationResource> known,
      Map<String, OperationResource> reported,
      Set<String> participants,
      OperationLog log,
      String id) {
    known.forEach((replica, part) -> {
      if (!part.state().equals(Operation.State.RUNNING.label())) {
        // The result and the expected end are of this moment.
        log.keepFinal(id, replica, part.shown().withResult(null).withExpectedEnd(null));
      }
    });
    reported.forEach((replica, part) -> {
      if (participants.contains(replica)) {
        log.keepFinal(id, replica, part);
      }
    });
    log.finalParts(id)
        .forEach((replica, part) -> {
          if (participants.contains(replica)) {
            known.putIfAbsent(replica, part);
          }
        });
  }

  /** Returns the part of a participant that reports none. */
  private static Part absent(
      String replica, Map<String, String> refusals, Collection<PeerAnswer> all) {
    String refusal = refusals.get(replica);
    return refusal == null
        ? new Part(replica, OperationView.UNKNOWN, whyUnknown(replica, all))
        : new Part(
            replica,
            OperationView.REFUSED,
            "it did not begin its part (" + refusal + "); nothing was changed there");
  }

  private static String whyUnknown(String replica, Collection<PeerAnswer> all) {
    for (PeerAnswer answer : all) {
      if (answer.replica().equals(replica)) {
        String error = answer.error();
        return error == null ? "it has restarted and has no record of this operation" : error;
      }
    }
    return "it has left";
  }

  /** Returns the state of the whole operation for the states of its parts. */
  private static String state(Set<String> states) {
    if (states.remove(OperationView.REFUSED)) {
      states.add(Operation.State.FAILED.label()); // both changed nothing
    }
    if (states.contains(Operation.State.RUNNING.label())) {
      return Operation.State.RUNNING.label();
    }
    return states.size() == 1
        ? states.iterator().next()
        : states.contains(Operation.State.CANCELLED.label())
                && !states.contains(OperationView.UNKNOWN)
            ? Operation.State.CANCELLED.label()
            : Operation.State.PARTIALLY_SUCCEEDED.label();
  }

  /** Merges the previews of several replicas, by name; at least one. */
  public static OperationPreview preview(Map<String, OperationPreview> parts) {
    List<OperationPreview> all = List.copyOf(parts.values());
    OperationPreview first = all.getFirst();
    if (all.size() == 1) {
      return first;
    }
    Map<String, String> tokens = new TreeMap<>();
    parts.forEach((replica, part) -> tokens.put(replica, part.confirmToken()));
    return OperationPreviewBuilder.builder(first)
        .matched(all.stream().mapToLong(OperationPreview::matched).sum())
        .willRelist(sum(all, OperationPreview::willRelist))
        .notRelisted(sum(all, OperationPreview::notRelisted))
        .byPhase(sums(all, OperationPreview::byPhase))
        .byNamespace(sums(all, OperationPreview::byNamespace))
        .byReplica(sums(all, OperationPreview::byReplica))
        .sample(distinct(all, OperationPreview::sample, MAX_SAMPLE))
        .warnings(distinct(all, OperationPreview::warnings, MAX_SAMPLE))
        .asOfSeq(all.stream().mapToLong(OperationPreview::asOfSeq).max().orElse(0))
        .confirmToken(ConfirmTokens.combine(tokens))
        .build();
  }

  /** Adds up the parts of several replicas. */
  private static OperationResource sum(OperationResource first, List<OperationResource> parts) {
    List<Instant> starts = times(parts, OperationResource::startedAt);
    List<Instant> ends = times(parts, OperationResource::endedAt);
    List<Instant> expected = times(parts, OperationResource::expectedEnd);
    boolean stopped = parts.stream().anyMatch(part -> ChangedValue.APPLIED.equals(part.result()));
    boolean found = parts.stream().anyMatch(part -> part.byPhase() != null);
    return OperationResourceBuilder.builder(first)
        .matched(parts.stream().mapToLong(OperationResource::matched).sum())
        .done(parts.stream().mapToLong(OperationResource::done).sum())
        .applied(parts.stream().mapToLong(OperationResource::applied).sum())
        .skipped(parts.stream().mapToLong(OperationResource::skipped).sum())
        .moved(parts.stream().mapToLong(OperationResource::moved).sum())
        .failed(parts.stream().mapToLong(OperationResource::failed).sum())
        .remaining(parts.stream().mapToLong(OperationResource::remaining).sum())
        .relisted(sum(parts, OperationResource::relisted))
        .notRelisted(sum(parts, OperationResource::notRelisted))
        .byPhase(found ? sums(parts, OperationResource::byPhase) : null)
        .byNamespace(found ? sums(parts, OperationResource::byNamespace) : null)
        .sample(found ? distinct(parts, OperationResource::sample, MAX_SAMPLE) : null)
        .byResult(results(parts))
        .members(distinct(parts, OperationResource::members, Integer.MAX_VALUE))
        .detail(null)
        .result(stopped ? ChangedValue.APPLIED : first.result())
        .startedAt(starts.isEmpty() ? first.startedAt() : starts.getFirst())
        .endedAt(ends.isEmpty() ? first.endedAt() : ends.getLast())
        .expectedEnd(expected.isEmpty() ? first.expectedEnd() : expected.getLast())
        .build();
  }

  /** Returns the sum of a count; null when no part has it. */
  private static <T> @Nullable Long sum(List<T> parts, Function<T, @Nullable Long> count) {
    return parts.stream()
        .flatMap(part -> Stream.ofNullable(count.apply(part)))
        .reduce(Long::sum)
        .orElse(null);
  }

  private static <T> Map<String, Long> sums(
      List<T> parts, Function<T, @Nullable Map<String, Long>> counts) {
    Map<String, Long> sums = new LinkedHashMap<>();
    parts.forEach(part ->
        orNone(counts.apply(part)).forEach((name, count) -> sums.merge(name, count, Long::sum)));
    return sums;
  }

  private static <T, V> List<V> distinct(
      List<T> parts, Function<T, @Nullable List<V>> values, int most) {
    return parts.stream()
        .flatMap(part -> orNone(values.apply(part)).stream())
        .distinct()
        .limit(most)
        .toList();
  }

  /** Adds up the counts by result and cause. */
  private static List<Count> results(List<OperationResource> parts) {
    Map<List<String>, Count> byCause = new LinkedHashMap<>();
    for (OperationResource part : parts) {
      for (Count one : part.byResult()) {
        byCause.merge(
            List.of(one.result(), Objects.requireNonNullElse(one.cause(), "")),
            one,
            (sum, next) -> new Count(sum.result(), sum.cause(), sum.count() + next.count()));
      }
    }
    return List.copyOf(byCause.values());
  }

  private static List<Instant> times(
      List<OperationResource> parts, Function<OperationResource, @Nullable Instant> time) {
    return parts.stream().flatMap(part -> Stream.ofNullable(time.apply(part))).sorted().toList();
  }
}
