// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.history.StoredHistory;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads operations from the stored history. */
public final class StoredOperations {

  private StoredOperations() {}

  /**
   * Returns the stored parts of an operation as answers of their replicas; empty for an unknown one.
   * Throws a {@link dev.coxswain.admin.internal.json.Rejection} when the caller has no right to it.
   */
  public static List<PeerAnswer> parts(RequestContext context, StoredHistory stored, String id) {
    OperationRecord.Subject subject = subject(stored, id);
    if (subject == null) {
      return List.of();
    }
    OperationScope.of(context).check(subject);
    return answers(stored.parts(id));
  }

  private static List<PeerAnswer> answers(Map<String, OperationResource> parts) {
    List<PeerAnswer> answers = new ArrayList<>();
    parts.forEach((replica, part) -> answers.add(PeerAnswer.ok(replica, 200, part)));
    return answers;
  }

  /**
   * Adds the stored operations that a list is about.
   *
   * @param query the query of the list
   * @param groups the answers of the replicas by the id of the operation
   */
  public static void addTo(
      Map<String, List<PeerAnswer>> groups, StoredHistory stored, Query query) {
    String controller = query.text("controller", ItemFilters.MAX_NAME);
    String namespace = query.text("namespace", ItemFilters.MAX_NAME);
    stored
        .operations()
        .forEach((id, parts) -> {
          OperationRecord.Subject subject = subject(stored, id);
          if (subject != null
              && (controller == null || controller.equals(subject.controller()))
              && (namespace == null || namespace.equals(subject.namespace()))) {
            groups.computeIfAbsent(id, none -> new ArrayList<>()).addAll(answers(parts));
          }
        });
  }

  private static boolean isSameRequest(OperationResource one, OperationResource other) {
    return one.controller().equals(other.controller())
        && one.actor().equals(other.actor())
        && one.reason().equals(other.reason())
        && one.request().equals(other.request());
  }

  /** Returns the subject of a stored operation, or null for an unknown one. */
  static OperationRecord.@Nullable Subject subject(StoredHistory stored, String id) {
    return stored.parts(id).values().stream()
        .findFirst()
        .map(part ->
            new OperationRecord.Subject(
                part.controller(),
                Objects.requireNonNullElse(part.request().selector().namespace(), "")))
        .orElse(null);
  }

  /**
   * Returns whether an operation is stored, and no part of it can still run.
   *
   * @param here whether a replica is in the cluster
   */
  public static boolean isOver(StoredHistory stored, String id, Predicate<String> here) {
    return !stored.parts(id).isEmpty()
        && (isWhole(stored, id) || participants(stored, id).stream().noneMatch(here));
  }

  private static Set<String> participants(StoredHistory stored, String id) {
    Set<String> names = new TreeSet<>();
    for (OperationResource part : stored.parts(id).values()) {
      names.addAll(Objects.requireNonNullElse(part.participants(), List.of()));
    }
    return names;
  }

  /** Returns whether all parts of an operation that began are stored, so that it has ended. */
  private static boolean isWhole(StoredHistory stored, String id) {
    Set<String> missing = participants(stored, id);
    for (OperationResource part : stored.parts(id).values()) {
      missing.removeAll(Objects.requireNonNullElse(part.refusals(), Map.of()).keySet());
    }
    missing.removeAll(stored.parts(id).keySet());
    return missing.isEmpty();
  }

  /**
   * Returns the parts of an ended operation that a repeated request has begun before a restart; empty
   * when there is none.
   *
   * @param validity how long a repeated request is the same one
   */
  public static Optional<List<PeerAnswer>> repeated(
      StoredHistory stored,
      OperationHeader header,
      String controller,
      OperationRequest request,
      String actor,
      Instant now,
      Duration validity) {
    Map<String, OperationResource> parts = stored.parts(header.id());
    OperationResource wanted =
        OperationView.remote(new OperationRecord(header, controller, request, actor, now));
    boolean same =
        !parts.isEmpty()
            && isWhole(stored, header.id())
            && parts.values().stream()
                .allMatch(part ->
                    isSameRequest(part, wanted)
                        && Optional.ofNullable(part.endedAt())
                            .filter(ended -> ended.plus(validity).isAfter(now))
                            .isPresent());
    return same ? Optional.of(answers(parts)) : Optional.empty();
  }
}
