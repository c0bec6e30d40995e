// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.slot.SlotView;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.Share;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.SlotState;
import dev.coxswain.admin.spi.SlotDirectory.View;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
        .getAll(context, scope, this::own, "/slots", "")
        .compose(answers ->
            work.run(
                JsonWork.isLong(view.slots().size()),
                () -> Response.ok(list(view, page, answers))));
  }

  private ObjectNode list(View view, Page page, List<PeerAnswer> answers) {
    ObjectNode json = Json.object().put("kind", "SlotList");
    Cluster.mark(json, cluster.self(), answers);
    json.put("uid", Json.clean(view.uid()));
    json.put("resourceVersion", Json.clean(view.resourceVersion()));
    json.put("function", Json.clean(view.function()));
    json.put("count", view.slots().size());
    Map<String, Integer> counts = new HashMap<>();
    Map<String, ObjectNode> byReplica = new HashMap<>();
    Map<String, Map<Integer, String>> stages = new HashMap<>();
    answers.stream()
        .filter(PeerAnswer::found)
        .forEach(answer -> {
          byReplica.put(answer.replica(), answer.json());
          stages.put(answer.replica(), stages(answer.json()));
        });
    ArrayNode items = json.putArray("items");
    for (int number = 0; number < view.slots().size(); number++) {
      Slot slot = view.slots().get(number);
      String state = SlotView.state(slot, view);
      counts.merge(state, 1, Integer::sum);
      if (number < page.from() || !page.has(slot, state)) {
        continue;
      }
      if (items.size() < page.limit()) {
        ObjectNode item = SlotView.slot(number, slot, view);
        put(item, "stage", slot.owner(), number, stages);
        put(item, "targetStage", slot.target(), number, stages);
        items.add(item);
      } else if (!json.has(ContinueToken.CONTINUE)) {
        json.put(ContinueToken.CONTINUE, Integer.toString(number));
      }
    }
    ObjectNode shown = json.putObject("counts");
    STATES.forEach(state -> shown.put(state, counts.getOrDefault(state, 0)));
    ArrayNode shares = json.putArray("shares");
    Map<Owner, Integer> owned = SlotView.counts(view);
    names(view).forEach(name -> shares.add(share(name, view, owned, byReplica.get(name))));
    return json;
  }

  /** Returns the stages that a replica reported, by slot; not those that are simply open. */
  private static Map<Integer, String> stages(ObjectNode own) {
    Map<Integer, String> stages = new HashMap<>();
    for (Map.Entry<String, JsonNode> stage : own.path(SlotView.STAGES).properties()) {
      stage.getValue().forEach(slot -> stages.put(slot.asInt(), stage.getKey()));
    }
    return stages;
  }

  /** Adds what the owner or the target does with a slot. */
  private static void put(
      ObjectNode json,
      String field,
      @Nullable Owner owner,
      int number,
      Map<String, Map<Integer, String>> stages) {
    String stage =
        owner == null ? null : stages.getOrDefault(owner.replica(), Map.of()).get(number);
    if (stage != null) {
      json.put(field, stage);
    }
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

  private static ObjectNode share(
      String name, View view, Map<Owner, Integer> owned, @Nullable ObjectNode own) {
    ObjectNode json = Json.object().put("replica", Json.clean(name));
    json.put("live", view.share(name).isPresent());
    SlotView.share(json, name, view, owned);
    // Also the slots of earlier runs of the replica, which have ended.
    json.put("slots", of(name, owned));
    json.put("incoming", incoming(name, view));
    if (own != null) {
      for (String field : List.of("phase", "resourceVersion", "problem", "open")) {
        if (own.has(field)) {
          json.set(field, own.get(field));
        }
      }
    }
    return json;
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
