// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.SlotView;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A request for one item, to the replicas that may track it instead of all. Confined to the admin
 * event loop.
 *
 * @param local the handler of this replica
 * @param request sends the request to another replica
 */
record OwnerRequests(
    Cluster cluster,
    RequestContext context,
    Endpoint.Handler local,
    Function<Peer, Future<PeerAnswer>> request) {

  /**
   * Sends a request for one item to the replicas that may track it.
   *
   * @param slot the slot of the item, whose owner tracks it; empty when slots do not decide
   * @param leader the slot whose owner alone runs the controller; empty when slots do not decide
   * @param all sends the request to all replicas
   */
  Future<List<PeerAnswer>> send(
      Optional<ItemSlot> slot, Optional<ItemSlot> leader, Supplier<Future<List<PeerAnswer>>> all) {
    if (slot.isPresent()) {
      return owners(slot.get());
    }
    List<String> owner = leader.map(ItemSlot::replicas).orElse(List.of());
    return owner.size() != 1
        ? all.get()
        : named(owner)
            .compose(answers ->
                answers.stream().allMatch(OwnerRequests::runs)
                    ? Future.succeededFuture(answers)
                    : all.get()); // it does not run the controller yet, or not any more
  }

  private static boolean runs(PeerAnswer answer) {
    return answer.found() || answer.slug().equals("item-not-found");
  }

  /**
   * Sends a request to the owner of a slot, and to the target of a move. When none of them has the
   * slot, since this replica read an older slot map, the request is sent to the owner that they name,
   * once.
   */
  private Future<List<PeerAnswer>> owners(ItemSlot slot) {
    List<String> owners = slot.replicas();
    if (owners.isEmpty()) {
      return Future.failedFuture(slot.unowned().rejection());
    }
    return named(owners)
        .compose(answers -> {
          List<PeerAnswer> having = having(answers);
          if (!having.isEmpty()) {
            return Future.succeededFuture(having);
          }
          List<String> named =
              answers.stream()
                  .flatMap(OwnerRequests::owner)
                  .filter(owner -> !owners.contains(owner) && isKnown(owner)) // it may be dead
                  .distinct()
                  .limit(1)
                  .toList();
          return named(named).map(OwnerRequests::having);
        })
        .map(having -> {
          if (having.isEmpty()) {
            throw slot.moving().rejection();
          }
          return having;
        });
  }

  private boolean isKnown(String replica) {
    return replica.equals(cluster.self()) || cluster.other(replica).isPresent();
  }

  private Future<List<PeerAnswer>> named(List<String> replicas) {
    List<Peer> peers =
        replicas.stream()
            .filter(name -> !name.equals(cluster.self()))
            .map(name -> cluster.other(name).orElseGet(() -> new Peer(name, "")))
            .toList();
    return cluster.requestAll(context, replicas.contains(cluster.self()), local, peers, request);
  }

  /** Returns the answers without those of replicas that do not have the slot. */
  static List<PeerAnswer> having(List<PeerAnswer> answers) {
    return answers.stream()
        .filter(answer ->
            !ItemSlot.isElsewhere(answer.problem())
                && explanation(answer).filter(ItemSlot::isElsewhere).isEmpty())
        .toList();
  }

  /** Returns the owner of the slot that a replica names which does not have it. */
  private static Stream<String> owner(PeerAnswer answer) {
    return Optional.ofNullable(answer.problem())
        .flatMap(problem -> problem.member(SlotView.SLOT, SlotResource.class))
        .or(() -> explanation(answer).map(ExplanationResource::slot))
        .map(SlotResource::owner)
        .stream();
  }

  private static Optional<ExplanationResource> explanation(PeerAnswer answer) {
    return answer.maybe(ExplanationResource.class);
  }
}
