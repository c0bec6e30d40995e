// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.model.LimiterResource.Part;
import dev.coxswain.admin.internal.model.LimiterResource.Share;
import dev.coxswain.admin.internal.model.LimiterResourceBuilder;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges a limiter from several replicas. Waiters and grants are added up; rate, burst and tokens are
 * shared, so they are those of the first replica that is not degraded.
 */
public final class LimiterMerge {

  private LimiterMerge() {}

  /** A limiter of a replica. */
  public record Of(String replica, LimiterResource limiter) {}

  /** Merges the limiter of replicas that have it, the preferred one first; at least one. */
  public static LimiterResource merge(List<Of> all) {
    LimiterResource first =
        all.stream()
            .map(Of::limiter)
            .min(Comparator.comparing(LimiterResource::degraded)) // stable
            .orElseThrow();
    Map<String, Share> shares = new TreeMap<>();
    Map<String, Part> parts = new TreeMap<>();
    for (Of one : all) {
      parts.put(one.replica(), part(one));
      // The counts that replicas report of others, for replicas without an answer.
      one.limiter().replicas().forEach(share -> shares.putIfAbsent(share.name(), share));
    }
    List<Share> others =
        shares.values().stream().filter(share -> !parts.containsKey(share.name())).toList();
    parts.forEach((replica, part) ->
        shares.computeIfPresent(
            replica,
            (name, _) -> new Share(name, part.waiters(), part.granted(), null, null, null)));
    Optional<Part> degraded = parts.values().stream().filter(Part::degraded).findFirst();
    return LimiterResourceBuilder.builder(first)
        .waiters(sum(parts, Part::waiters) + sum(others, Share::waiters))
        .granted(sum(parts, Part::granted) + sum(others, Share::granted))
        .denied(sum(parts, Part::denied))
        .floor(null) // of one replica
        .degraded(degraded.isPresent())
        .degradedReason(
            degraded
                .map(part ->
                    all.size() == 1
                        ? part.degradedReason()
                        : part.replica() + ": " + part.degradedReason())
                .orElse(first.degradedReason()))
        .replicas(List.copyOf(shares.values()))
        .consumers(
            parts.values().stream()
                .flatMap(part -> part.consumers().stream())
                .distinct()
                .sorted()
                .toList())
        .parts(List.copyOf(parts.values()))
        .build();
  }

  private static long sum(Map<String, Part> parts, ToLongFunction<Part> count) {
    return parts.values().stream().mapToLong(count).sum();
  }

  private static long sum(List<Share> shares, Function<Share, @Nullable Long> count) {
    return shares.stream()
        .flatMap(share -> Stream.ofNullable(count.apply(share)))
        .mapToLong(Long::longValue)
        .sum();
  }

  private static Part part(Of one) {
    LimiterResource limiter = one.limiter();
    return new Part(
        one.replica(),
        limiter.mode(),
        limiter.capacity(),
        limiter.refillPerSecond(),
        limiter.tokens(),
        waitersHere(one),
        limiter.granted(),
        limiter.denied(),
        limiter.floor(),
        limiter.degraded(),
        limiter.degradedReason(),
        limiter.consumers());
  }

  /** A replica reports all waiters, and those of each replica. */
  private static long waitersHere(Of one) {
    List<Share> elsewhere =
        one.limiter().replicas().stream()
            .filter(share -> !share.name().equals(one.replica()))
            .toList();
    return Math.max(0, one.limiter().waiters() - sum(elsewhere, Share::waiters));
  }

  /** Returns a limiter with the states of the answers added to its replicas. */
  public static LimiterResource withStates(LimiterResource limiter, List<PeerAnswer> answers) {
    Map<String, Share> byName = new TreeMap<>();
    limiter.replicas().forEach(share -> byName.put(share.name(), share));
    for (PeerAnswer answer : answers) {
      ReplicaState state = answer.shown();
      Share known = byName.get(state.replica());
      byName.put(
          state.replica(),
          new Share(
              state.replica(),
              known == null ? null : known.waiters(),
              known == null ? null : known.granted(),
              state.replica(),
              state.state(),
              state.error()));
    }
    return limiter.withReplicas(List.copyOf(byName.values()));
  }
}
