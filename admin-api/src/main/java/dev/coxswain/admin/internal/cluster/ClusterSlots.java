// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.slot.SlotList;
import dev.coxswain.admin.internal.slot.SlotListBuilder;
import dev.coxswain.admin.internal.slot.SlotView;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.Share;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.SlotState;
import dev.coxswain.admin.spi.SlotDirectory.View;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The slots of the host: the slot map as this replica has read it, and what each replica does with
 * its slots. Confined to the admin event loop.
 */
public final class ClusterSlots {

  private static final int MAX_SLOTS = 4096;
  private static final int MAX_NAME = 253;
  private static final Set<String> STATES =
      new LinkedHashSet<>(
          List.of(
              SlotState.FREE.label(),
              SlotState.OWNED.label(),
              SlotState.DRAINING.label(),
              SlotView.ORPHANED));

  private final Cluster cluster;
  private final ItemSlots slots;
  private final JsonWork work;

  public ClusterSlots(Cluster cluster, ItemSlots slots, JsonWork work) {
    this.cluster = cluster;
    this.slots = slots;
    this.work = work;
  }

  /**
   * The requested part of the slot map.
   *
   * @param owner the owner, or null for any
   * @param states the states, or null for any
   */
  private record Page(@Nullable String owner, @Nullable Set<String> states, int limit, int from) {

    static Page take(Query query) {
      Page page =
          new Page(
              query.text("owner", MAX_NAME),
              query.some("state", STATES),
              query.number("limit", 1, MAX_SLOTS, MAX_SLOTS),
              query.number("continue", 0, MAX_SLOTS - 1, 0));
      query.done();
      return page;
    }

    boolean has(Slot slot, String state) {
      Owner of = slot.owner();
      return (states == null || states.contains(state))
          && (owner == null || (of != null && of.replica().equals(owner)));
    }
  }

  /** Returns what this replica makes of the slot map, for another one. */
  public Future<Response> own(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(
        Response.ok(SlotView.own(cluster.self(), slots.required(404).view())));
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Page page = Page.take(context.query());
    View view = slots.required(404).view();
    context.rewrite("");
    return cluster
        .getAll(context, scope, this::own, "/slots", "", SlotList.Own.class)
        .compose(answers ->
            work.run(
                JsonWork.isLong(view.slots().size()),
                () -> Response.ok(list(view, page, answers))));
  }

  private MergedValue list(View view, Page page, List<PeerAnswer> answers) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    STATES.forEach(state -> counts.put(state, 0));
    Map<String, SlotList.Own> byReplica = new HashMap<>();
    Map<String, Map<Integer, String>> stages = new HashMap<>();
    answers.stream()
        .filter(PeerAnswer::found)
        .forEach(answer -> {
          SlotList.Own own = answer.as(SlotList.Own.class);
          byReplica.put(answer.replica(), own);
          stages.put(answer.replica(), stages(own));
        });
    List<SlotResource> items = new ArrayList<>();
    String next = null;
    for (int number = 0; number < view.slots().size(); number++) {
      Slot slot = view.slots().get(number);
      SlotResource shown = SlotView.slot(number, slot, view);
      counts.merge(shown.state(), 1, Integer::sum);
      if (number < page.from() || !page.has(slot, shown.state())) {
        continue;
      }
      if (items.size() < page.limit()) {
        items.add(
            shown.at(stage(slot.owner(), number, stages), stage(slot.target(), number, stages)));
      } else if (next == null) {
        next = Integer.toString(number);
      }
    }
    Map<Owner, Integer> owned = SlotView.counts(view);
    return Cluster.marked(
        SlotListBuilder.builder()
            .kind("SlotList")
            .uid(view.uid())
            .resourceVersion(view.resourceVersion())
            .function(view.function())
            .count(view.slots().size())
            .next(next)
            .items(items)
            .counts(counts)
            .shares(
                names(view).stream()
                    .map(name -> share(name, view, owned, byReplica.get(name)))
                    .toList())
            .build(),
        cluster.self(),
        answers);
  }

  /** Returns the stages that a replica reported, by slot; not those that are simply open. */
  private static Map<Integer, String> stages(SlotList.Own own) {
    Map<Integer, String> stages = new HashMap<>();
    own.stages().forEach((stage, slots) -> slots.forEach(slot -> stages.put(slot, stage)));
    return stages;
  }

  /** Returns what the owner or the target does with a slot; null when it is not known. */
  private static @Nullable String stage(
      @Nullable Owner owner, int number, Map<String, Map<Integer, String>> stages) {
    return owner == null ? null : stages.getOrDefault(owner.replica(), Map.of()).get(number);
  }

  /** Returns the live replicas and the other owners and targets, by name. */
  private static Set<String> names(View view) {
    Set<String> names = new TreeSet<>();
    view.replicas().stream().map(Share::replica).forEach(names::add);
    for (Slot slot : view.slots()) {
      for (Owner owner : new Owner[] {slot.owner(), slot.target()}) {
        if (owner != null) {
          names.add(owner.replica());
        }
      }
    }
    return names;
  }

  private static SlotList.Share share(
      String name, View view, Map<Owner, Integer> owned, SlotList.@Nullable Own own) {
    Optional<Share> lease = view.share(name);
    return new SlotList.Share(
        name,
        lease.isPresent(),
        lease.map(Share::weight).orElse(null),
        lease.map(Share::drained).orElse(null),
        lease.map(Share::leaving).orElse(null),
        of(name, owned),
        incoming(name, view),
        own == null ? null : own.phase(),
        own == null ? null : own.resourceVersion(),
        own == null ? null : own.problem(),
        own == null ? null : own.open());
  }

  private static int of(String name, Map<Owner, Integer> owned) {
    return owned.entrySet().stream()
        .filter(one -> one.getKey().replica().equals(name))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  private static long incoming(String name, View view) {
    return view.slots().stream()
        .map(Slot::target)
        .filter(target -> target != null && target.replica().equals(name))
        .count();
  }
}
