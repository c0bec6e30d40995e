// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ControllerResource.Source;
import dev.coxswain.admin.internal.model.ControllerResource.Throughput;
import dev.coxswain.admin.internal.model.ControllerResourceBuilder;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges a controller from several replicas: the sums of the counts, the largest ages, the earliest
 * times, and the settings of the first replica.
 */
final class ControllerMerge {

  /** The state of a part whose sources have not synced in time. */
  private static final String FAILED = "failed";

  /** The whole controller has the first of these states that a running part has. */
  private static final List<String> STATES =
      List.of("syncing", "draining", "stopped", "running", FAILED);

  private ControllerMerge() {}

  /** Merges the controllers of several replicas, the preferred one first; at least one. */
  static ControllerResource merge(List<ControllerResource> parts) {
    List<ControllerResource> running =
        parts.stream().filter(ControllerResource::isRunning).toList();
    // A running part is preferred to a failed one, and a failed one to an idle one. Idle parts are
    // shown only when all parts are idle.
    List<ControllerResource> active = parts.stream().filter(part -> !part.isIdle()).toList();
    ControllerResource first =
        !running.isEmpty()
            ? running.stream()
                .filter(part -> !part.state().equals(FAILED))
                .findFirst()
                .orElse(running.getFirst())
            : active.isEmpty() ? parts.getFirst() : active.getFirst();
    ControllerResourceBuilder whole = ControllerResourceBuilder.builder(first);
    if (!running.isEmpty()) {
      whole.runningReplicas(running.size());
    }
    if (running.size() > 1) {
      add(whole, running);
    }
    if (active.size() > 1 && !running.isEmpty()) {
      whole.state(state(running));
    }
    return whole
        .parts(
            (active.isEmpty() ? parts : active)
                .stream()
                    .sorted(Comparator.comparing(ControllerResource::replica))
                    .map(ControllerResource::part)
                    .toList())
        .build();
  }

  /** Adds up several running parts. */
  private static void add(ControllerResourceBuilder whole, List<ControllerResource> parts) {
    whole
        .counts(sums(parts, ControllerResource::counts))
        .total(sum(parts, ControllerResource::total))
        .failing(sum(parts, ControllerResource::failing))
        .terminalEvicted(sum(parts, ControllerResource::terminalEvicted))
        .dirty(sum(parts, ControllerResource::dirty))
        .overdue(sum(parts, ControllerResource::overdue))
        .activeWorkers(sum(parts, ControllerResource::activeWorkers))
        .totals(sums(parts, ControllerResource::totals))
        .throughput(throughput(parts))
        .oldestReadySeconds(most(parts, ControllerResource::oldestReadySeconds))
        .longestInFlightSeconds(most(parts, ControllerResource::longestInFlightSeconds))
        .asOfSeq(most(parts, ControllerResource::asOfSeq))
        .nextReadyAt(least(parts, ControllerResource::nextReadyAt))
        .asOf(least(parts, ControllerResource::asOf))
        .paused(parts.stream().anyMatch(part -> Boolean.TRUE.equals(part.paused())))
        .pause(values(parts, ControllerResource::pause).findFirst().orElse(null))
        .pausedCauses(pausedCauses(parts))
        .conditions(values(parts, ControllerResource::conditions).flatMap(List::stream).toList())
        .sources(sources(parts));
  }

  /** Each cause once: the replicas follow the same store. */
  private static @Nullable List<ControllerResource.PausedCause> pausedCauses(
      List<ControllerResource> parts) {
    Map<String, ControllerResource.PausedCause> all = new TreeMap<>();
    values(parts, ControllerResource::pausedCauses)
        .flatMap(List::stream)
        .forEach(one -> all.putIfAbsent(one.cause(), one));
    return all.isEmpty() ? null : List.copyOf(all.values());
  }

  private static <T> Stream<T> values(
      List<ControllerResource> parts, Function<ControllerResource, @Nullable T> component) {
    return parts.stream().flatMap(part -> Stream.ofNullable(component.apply(part)));
  }

  private static long sum(
      List<ControllerResource> parts, Function<ControllerResource, @Nullable Long> component) {
    return values(parts, component).mapToLong(Long::longValue).sum();
  }

  private static Map<String, Long> sums(
      List<ControllerResource> parts,
      Function<ControllerResource, @Nullable Map<String, Long>> component) {
    Map<String, Long> sums = new LinkedHashMap<>();
    values(parts, component)
        .forEach(counts -> counts.forEach((name, count) -> sums.merge(name, count, Long::sum)));
    return sums;
  }

  private static <T extends Comparable<T>> @Nullable T most(
      List<ControllerResource> parts, Function<ControllerResource, @Nullable T> component) {
    return values(parts, component).max(Comparator.naturalOrder()).orElse(null);
  }

  private static <T extends Comparable<T>> @Nullable T least(
      List<ControllerResource> parts, Function<ControllerResource, @Nullable T> component) {
    return values(parts, component).min(Comparator.naturalOrder()).orElse(null);
  }

  /** Adds up the rates of each window; null where all are null. */
  private static @Nullable Throughput throughput(List<ControllerResource> parts) {
    return values(parts, ControllerResource::throughput)
        .reduce((one, other) ->
            new Throughput(
                plus(one.minute(), other.minute()),
                plus(one.fiveMinutes(), other.fiveMinutes()),
                plus(one.hour(), other.hour())))
        .orElse(null);
  }

  private static @Nullable Double plus(@Nullable Double one, @Nullable Double other) {
    return one == null ? other : other == null ? one : Double.valueOf(one + other);
  }

  /**
   * Merges the sources: each that some replica has, with its first problem. It is synced when it is on
   * every replica that has it.
   */
  private static List<Source> sources(List<ControllerResource> parts) {
    Map<List<Object>, Source> merged = new LinkedHashMap<>();
    for (ControllerResource part : parts) {
      Map<List<String>, Integer> seen = new HashMap<>(); // several may have one description
      for (Source source : Objects.requireNonNullElse(part.sources(), List.<Source>of())) {
        List<String> name =
            List.of(Objects.requireNonNullElse(source.addedAs(), ""), source.description());
        merged.merge(
            List.of(name, seen.merge(name, 1, Integer::sum)),
            source,
            (one, other) ->
                new Source(
                    one.description(),
                    one.synced() && other.synced(),
                    one.addedAs(),
                    one.problem() == null ? other.problem() : one.problem()));
      }
    }
    return List.copyOf(merged.values());
  }

  private static String state(List<ControllerResource> running) {
    return running.stream()
        .map(ControllerResource::state)
        .min(Comparator.comparingInt(STATES::indexOf))
        .orElseThrow();
  }
}
