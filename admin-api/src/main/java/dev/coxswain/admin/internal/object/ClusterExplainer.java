// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterReads;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ExplanationResourceBuilder;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.ItemView;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Explains an object for every controller of the cluster. Each replica receives one request for all
 * its controllers, and the parts are merged as the answers to a request for one item are. Confined to
 * the admin event loop.
 */
public final class ClusterExplainer {

  private static final String NOT_FOUND = "controller-not-found";

  /** The reasons of controllers that gave no explanation, by their problem. */
  private static final Map<String, String> REASONS =
      Map.of("no-owner", ItemSlot.UNOWNED, "controller-not-running", ExplanationList.NOT_RUNNING);

  private final Cluster cluster;
  private final ObjectExplainer local;
  private final ObjectRights rights;
  private final ItemSlots slots;
  private final JsonWork work;

  public ClusterExplainer(
      Cluster cluster, ObjectExplainer local, ObjectRights rights, ItemSlots slots, JsonWork work) {
    this.cluster = cluster;
    this.local = local;
    this.rights = rights;
    this.slots = slots;
    this.work = work;
  }

  /** The slots of an item, as they are before the work on another thread; empty in a scope. */
  private record Place(Optional<ItemSlot> item, Optional<ItemSlot> leader) {}

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    ObjectQuery query = ObjectQuery.of(context.query());
    // First, so that a caller without any right is refused and no other replica is involved.
    return rights
        .readable(context, query)
        .compose(_ -> cluster.getAll(context, scope, local::explain, ObjectPart.class))
        .compose(answers -> merged(query, scope, answers));
  }

  private Future<Response> merged(ObjectQuery query, ClusterScope scope, List<PeerAnswer> answers) {
    // A replica of an earlier version responds 404: the route, and not the object, is missing
    // there.
    List<PeerAnswer> all =
        answers.stream()
            .map(answer -> answer.ok() && !answer.found() ? answer.refused() : answer)
            .toList();
    List<ObjectPart> parts =
        Cluster.found(all).stream().map(answer -> answer.as(ObjectPart.class)).toList();
    TreeSet<String> names =
        parts.stream()
            .flatMap(part -> part.items().stream())
            .map(ObjectPart.Entry::controller)
            .collect(Collectors.toCollection(TreeSet::new));
    Map<String, Place> places = new HashMap<>();
    for (String name : names) {
      places.put(
          name,
          scope.equals(ClusterScope.ALL)
              ? new Place(slots.of(name, query.id()), slots.ofController(name))
              : new Place(Optional.empty(), Optional.empty()));
    }
    return work.run(
        JsonWork.isLong(parts.stream().mapToInt(ObjectPart::entries).sum()),
        () -> {
          List<ExplanationResource> items = new ArrayList<>();
          TreeSet<String> unread = new TreeSet<>();
          places.forEach((name, place) -> items.add(merged(name, query, place, all, unread)));
          return Response.ok(
              Cluster.marked(
                  ExplanationList.of(
                      new ItemResource.Key(query.id().namespace(), query.id().name()),
                      items,
                      List.copyOf(unread),
                      parts.stream().mapToInt(ObjectPart::hidden).max().orElse(0)),
                  cluster.self(),
                  all));
        });
  }

  /**
   * Merges the answers for one controller; any thread.
   *
   * @param unread receives the controller when something of it is missing
   */
  private static ExplanationResource merged(
      String controller, ObjectQuery query, Place place, List<PeerAnswer> all, Set<String> unread) {
    ItemId id = query.id();
    List<PeerAnswer> answers =
        all.stream()
            .flatMap(answer ->
                answer
                    .maybe(ObjectPart.class)
                    .map(part ->
                        part.of(controller).map(entry -> entry.answer(answer.replica())).stream())
                    .orElseGet(() -> List.of(answer).stream()))
            .toList();
    try {
      if (place.item().isPresent() && place.item().get().replicas().isEmpty()) {
        return ItemView.unowned(controller, id, place.item().get());
      }
      List<PeerAnswer> deciding = deciding(place, answers);
      ExplanationResource explanation = ClusterReads.explained(deciding);
      // A replica that is silent as a whole is among the replicas of the list.
      if (deciding.stream().anyMatch(answer -> !answer.ok() && !all.contains(answer))) {
        unread.add(controller);
      }
      return ExplanationResourceBuilder.builder(explanation).isSyncing(null).build();
    } catch (Rejection refused) {
      if (refused.problem().slug().equals(NOT_FOUND) && query.controllers().contains(controller)) {
        throw refused; // otherwise it was removed meanwhile
      }
      return unread(controller, id, refused.problem(), answers, unread);
    }
  }

  /** Returns the answers of the replicas that track the item, as a request for it reaches them. */
  private static List<PeerAnswer> deciding(Place place, List<PeerAnswer> answers) {
    if (place.item().isPresent()) {
      List<String> owners = place.item().get().replicas();
      List<PeerAnswer> ofOwners = ClusterReads.havingSlot(of(owners, answers));
      List<PeerAnswer> having = ofOwners.isEmpty() ? ClusterReads.havingSlot(answers) : ofOwners;
      if (having.isEmpty()) {
        throw place.item().get().moving().rejection();
      }
      return having;
    }
    List<PeerAnswer> ofLeader =
        of(place.leader().map(ItemSlot::replicas).orElse(List.of()), answers);
    if (ofLeader.size() == 1 && ofLeader.getFirst().found()) {
      return ofLeader;
    }
    // This replica may not have started a sharded controller, and then takes it for one without
    // slots.
    List<PeerAnswer> having = ClusterReads.havingSlot(answers);
    return having.stream().anyMatch(PeerAnswer::found) ? having : answers;
  }

  private static List<PeerAnswer> of(List<String> replicas, List<PeerAnswer> answers) {
    return answers.stream().filter(answer -> replicas.contains(answer.replica())).toList();
  }

  /** Returns the entry of a controller that gave no explanation. */
  private static ExplanationResource unread(
      String controller, ItemId id, Problem problem, List<PeerAnswer> answers, Set<String> unread) {
    String reason = REASONS.getOrDefault(problem.slug(), ExplanationList.UNREAD);
    if (!reason.equals(ExplanationList.NOT_RUNNING)) {
      unread.add(controller);
    }
    return ItemView.without(
        controller,
        id,
        reason,
        sentence(
            reason.equals(ExplanationList.UNREAD) ? detail(problem, answers) : problem.detail()));
  }

  /** Returns why no replica gave an explanation: the cause at each of them, if there is one. */
  private static String detail(Problem problem, List<PeerAnswer> answers) {
    String causes =
        answers.stream()
            .filter(answer -> !answer.ok())
            .map(answer ->
                answer.replica()
                    + ": "
                    + (answer.problem() == null || answer.problem().detail().isEmpty()
                        ? answer.error()
                        : answer.problem().detail()))
            .distinct()
            .collect(Collectors.joining("; "));
    return causes.isEmpty() ? problem.detail() : "no explanation from " + causes;
  }

  private static String sentence(String text) {
    String line = Json.line(text, Json.MAX_ERROR_TEXT);
    return line.isEmpty()
        ? line
        : Character.toUpperCase(line.charAt(0))
            + line.substring(1)
            + (line.endsWith(".") ? "" : ".");
  }
}
