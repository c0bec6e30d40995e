// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.StatisticsResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.ItemView;
import dev.coxswain.admin.internal.resource.StatisticsMerge;
import dev.coxswain.admin.internal.resource.Unowned;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.value.CopiedValue;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.SizedValue;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads of all replicas: sends the same request to each of them and merges the responses. Confined
 * to the admin event loop.
 */
public final class ClusterReads {

  private final Cluster cluster;
  private final ItemSlots slots;
  private final JsonWork work;

  public ClusterReads(Cluster cluster, ItemSlots slots, JsonWork work) {
    this.cluster = cluster;
    this.slots = slots;
    this.work = work;
  }

  /** Merges the answers of all replicas, this replica first. Any thread. */
  @FunctionalInterface
  interface Merge {
    MergedValue merge(List<PeerAnswer> answers);
  }

  /** A read of all replicas, whose results have a type. */
  private record Read(Endpoint.Handler local, Class<?> type, Merge merge) {}

  public Endpoint.Handler controllers(Endpoint.Handler local) {
    return all(new Read(local, ControllerList.class, this::controllerList));
  }

  public Endpoint.Handler controller(Endpoint.Handler local) {
    return all(
        new Read(
            local,
            ControllerResource.class,
            answers ->
                merged(
                    Cluster.found(answers).stream()
                        .map(answer -> answer.as(ControllerResource.class))
                        .toList(),
                    answers)));
  }

  public Endpoint.Handler item(Endpoint.Handler local) {
    return ofItem(
        new Read(
            local,
            ItemResource.class,
            answers -> copies(Cluster.found(answers), ItemResource.class, any -> true)));
  }

  public Endpoint.Handler explanation(Endpoint.Handler local) {
    Endpoint.Handler handler =
        ofItem(new Read(local, ExplanationResource.class, ClusterReads::explained));
    return context -> {
      ItemId id = context.item();
      Optional<ItemSlot> unowned =
          slots.of(context.param("c"), id).filter(slot -> slot.replicas().isEmpty());
      if (unowned.isEmpty() || ClusterScope.isGiven(context)) {
        return handler.handle(context);
      }
      context.query().done();
      return Future.succeededFuture(
          Response.ok(
              Cluster.marked(
                  ItemView.unowned(context.param("c"), id, unowned.get()),
                  cluster.self(),
                  List.of(PeerAnswer.self(cluster.self())))));
    };
  }

  /**
   * Merges the explanations of one item by several replicas. Throws the refusal of the request when
   * none of the answers is one.
   */
  public static ExplanationResource explained(List<PeerAnswer> answers) {
    List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
    // Of replicas without the item, the last one that had it is first; the sort is stable.
    Comparator<PeerAnswer> byEnd =
        Comparator.comparing(
            answer -> answer.as(ExplanationResource.class).endedAt(),
            Comparator.nullsFirst(Comparator.naturalOrder()));
    found.sort(byEnd.reversed());
    return copies(found, ExplanationResource.class, why -> why.item() != null);
  }

  /** Returns the answers without those of replicas that do not have the slot of the item. */
  public static List<PeerAnswer> havingSlot(List<PeerAnswer> answers) {
    return OwnerRequests.having(answers);
  }

  public Endpoint.Handler statistics(Endpoint.Handler local) {
    return all(
        new Read(
            local,
            StatisticsResource.class,
            answers ->
                StatisticsMerge.merge(
                    Cluster.found(answers).stream()
                        .map(answer -> answer.as(StatisticsResource.class))
                        .toList())));
  }

  private Endpoint.Handler all(Read read) {
    return context -> all(context, ClusterScope.take(context), read);
  }

  private Future<Response> all(RequestContext context, ClusterScope scope, Read read) {
    return cluster.others(scope).isEmpty()
        ? read.local()
            .handle(context)
            .compose(own -> merged(scope, read, List.of(PeerAnswer.own(cluster.self(), own))))
        : requestAll(context, scope, read).compose(answers -> merged(scope, read, answers));
  }

  /** Reads the item in the path: from the owner of its slot, or from all replicas without slots. */
  private Endpoint.Handler ofItem(Read read) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      return scope.equals(ClusterScope.ALL) && !cluster.others().isEmpty()
          ? new OwnerRequests(
                  cluster,
                  context,
                  read.local(),
                  peer -> cluster.get(peer, context, context.rawQuery(), read.type()))
              .send(
                  slots.of(context.param("c"), context.item()),
                  slots.ofController(context.param("c")),
                  () -> requestAll(context, scope, read))
              .compose(answers -> merged(scope, read, answers))
          : all(context, scope, read);
    };
  }

  private Future<List<PeerAnswer>> requestAll(
      RequestContext context, ClusterScope scope, Read read) {
    return cluster.getAll(context, scope, read.local(), read.type());
  }

  private Future<Response> merged(ClusterScope scope, Read read, List<PeerAnswer> answers) {
    int entries =
        answers.stream()
            .mapToInt(answer -> answer.maybe(SizedValue.class).map(SizedValue::entries).orElse(0))
            .sum();
    return work.run(
        JsonWork.isLong(entries),
        () -> {
          MergedValue value = Cluster.marked(read.merge().merge(answers), cluster.self(), answers);
          return Response.ok(
              scope.equals(ClusterScope.ALL)
                  ? Unowned.marked(value, cluster.self(), answers)
                  : value);
        });
  }

  private ControllerList controllerList(List<PeerAnswer> answers) {
    TreeMap<String, List<ControllerResource>> byName = new TreeMap<>();
    for (PeerAnswer answer : answers) {
      answer
          .maybe(ControllerList.class)
          .ifPresent(list ->
              list.items()
                  .forEach(
                      one -> byName.computeIfAbsent(one.name(), _ -> new ArrayList<>()).add(one)));
    }
    return new ControllerList(
        cluster.self(), byName.values().stream().map(parts -> merged(parts, answers)).toList());
  }

  private static ControllerResource merged(
      List<ControllerResource> parts, List<PeerAnswer> answers) {
    ControllerResource whole = ControllerMerge.merge(parts);
    return whole.isIdle() ? Unowned.whole(whole, parts, answers) : whole;
  }

  /** Returns the first result that tracks the item, with those of other replicas that do. */
  private static <T extends CopiedValue<T>> T copies(
      List<PeerAnswer> found, Class<T> type, Predicate<T> tracks) {
    List<T> order =
        found.stream()
            .map(answer -> answer.as(type).at(answer.replica()))
            .sorted(Comparator.comparing(value -> !tracks.test(value))) // stable
            .toList();
    List<T> more = order.stream().skip(1).filter(tracks).toList();
    return more.isEmpty() ? order.getFirst() : order.getFirst().and(more);
  }
}
