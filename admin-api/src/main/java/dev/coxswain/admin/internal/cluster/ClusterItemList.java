// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.cluster.ContinueToken.Part;
import dev.coxswain.admin.internal.cluster.ContinueToken.Progress;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.model.ItemListBuilder;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The items of all replicas as one list, one replica after another. Confined to the admin event
 * loop.
 *
 * <p>The first page reads all replicas, so its position has all runs of the controller; every other
 * page reads the current replica only. A page ends with the items of its replica, unless all items of
 * the next one fit, too. So only the first replica returns a page, and the others return their items
 * if all of them fit into one page.
 *
 * <p>An item of a sharded controller whose slot moves to another replica may be on two pages or on
 * none. The position has the state of the slot map, so that such a page is marked.
 */
public final class ClusterItemList {

  private final Cluster cluster;
  private final ItemSlots slots;
  private final Endpoint.Handler local;

  public ClusterItemList(Cluster cluster, ItemSlots slots, Endpoint.Handler local) {
    this.cluster = cluster;
    this.slots = slots;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Query query = context.query();
    int limit = query.number("limit", 1, ControllerHandle.MAX_PAGE, Items.DEFAULT_LIMIT);
    String from = query.text(ContinueToken.CONTINUE, ContinueToken.MAX);
    query.check();
    if (from != null && ContinueToken.isOne(from)) {
      return resume(context, scope, ContinueToken.decode(from, listOf(context)), limit);
    }
    List<Peer> others = cluster.others(scope);
    if (others.isEmpty() || from != null) {
      return local.handle(context).map(this::alone);
    }
    return begin(context, scope, others, limit);
  }

  private static String listOf(RequestContext context) {
    return ContinueToken.listOf(context.below(), context.rawQuery());
  }

  /** Returns a page of this replica only; only this replica accepts its position. */
  private Response alone(Response reply) {
    PeerAnswer own = PeerAnswer.own(cluster.self(), reply);
    ItemList list = own.as(ItemList.class);
    return reply.withBody(
        Cluster.marked(
            list.withRun(null).withItems(named(list.items(), cluster.self())),
            cluster.self(),
            List.of(own)));
  }

  private static List<ItemResource> named(List<ItemResource> items, String replica) {
    return items.stream().map(item -> item.at(replica)).toList();
  }

  private Future<Response> begin(
      RequestContext context, ClusterScope scope, List<Peer> others, int limit) {
    context.inRounds(2, RequestContext.PEER_TIMEOUT_MILLIS);
    String list = listOf(context); // the query is rewritten below
    return readAll(context, scope.covers(cluster.self()), others, limit)
        .compose(answers -> withPage(context, answers))
        .map(answers -> {
          List<PeerAnswer> found = Cluster.found(answers);
          List<ItemResource> items = new ArrayList<>();
          List<Part> parts = new ArrayList<>();
          String inner = null;
          boolean full = false;
          for (PeerAnswer answer : answers) {
            if (!answer.ok()) {
              parts.add(Part.missing(answer.replica()));
            } else if (answer.found()) {
              ItemList page = answer.as(ItemList.class);
              boolean fits =
                  !full && page.withheld() == null && items.size() + page.items().size() <= limit;
              Part part = part(answer);
              if (fits) {
                items.addAll(named(page.items(), answer.replica()));
                inner = page.next();
              }
              full |= !fits || inner != null;
              parts.add(fits && inner == null ? part.done() : part);
            }
          }
          String version = slots.version(context.param("c"));
          return reply(
              page(context, items, found), new ContinueToken(list, parts, inner, version), answers);
        });
  }

  /**
   * Returns the answers so that the page has items, if there are any: when the replicas before it
   * have none, the first replica with more items than a page is read again, for a page.
   */
  private Future<List<PeerAnswer>> withPage(RequestContext context, List<PeerAnswer> answers) {
    for (int i = 0; i < answers.size(); i++) {
      PeerAnswer answer = answers.get(i);
      Optional<ItemList> list = answer.maybe(ItemList.class);
      if (list.filter(one -> one.withheld() != null).isPresent()) {
        int at = i;
        return read(context, answer.replica())
            .map(page -> {
              answers.set(at, page);
              return answers;
            });
      }
      if (list.filter(one -> !one.items().isEmpty()).isPresent()) {
        break;
      }
    }
    return Future.succeededFuture(answers);
  }

  /** Reads the first items of several replicas; the answers are ordered by name. */
  private Future<List<PeerAnswer>> readAll(
      RequestContext context, boolean self, List<Peer> others, int limit) {
    context.rewrite(ContinueToken.query(context.rawQuery(), limit, null));
    String address = Cluster.address(context.below(), context.rawQuery());
    String first =
        Stream.concat(
                others.stream().map(Peer::replica), Stream.of(cluster.self()).filter(one -> self))
            .min(Comparator.naturalOrder())
            .orElse("");
    return cluster
        .requestAll(
            context,
            self,
            local,
            others,
            peer ->
                cluster.send(
                    peer,
                    context,
                    HttpMethod.GET,
                    address,
                    null,
                    peer.replica().equals(first) ? Map.of() : Map.of(Items.ONLY_ALL, "true"),
                    ItemList.class))
        .map(answers -> {
          answers.sort(Comparator.comparing(PeerAnswer::replica));
          return answers;
        });
  }

  private Future<Response> resume(
      RequestContext context, ClusterScope scope, ContinueToken cursor, int limit) {
    Part part = cursor.current().orElse(null);
    if (part == null) {
      return Future.succeededFuture(
          reply(
              page(context, cursor, List.of(), List.of()),
              cursor,
              cursor.parts().stream().map(Part::state).toList()));
    }
    context.rewrite(ContinueToken.query(context.rawQuery(), limit, cursor.inner()));
    return read(context, part.replica())
        .compose(answer -> {
          if (answer
              .maybe(ItemList.class)
              .filter(list -> part.run().equals(list.run()))
              .isPresent()) {
            return Future.succeededFuture(continued(context, cursor, answer));
          }
          if (answer.state() == PeerAnswer.State.REFUSED) {
            throw Cluster.notFound(List.of(answer)); // it may answer later
          }
          if (answer.slug().startsWith("invalid-")) {
            throw answer.relayed().rejection();
          }
          return lost(context, scope, cursor, part, answer);
        });
  }

  private Future<PeerAnswer> read(RequestContext context, String replica) {
    return replica.equals(cluster.self())
        ? cluster.own(context, local)
        : cluster.get(replica, context, context.rawQuery(), ItemList.class);
  }

  private Response continued(RequestContext context, ContinueToken cursor, PeerAnswer answer) {
    ItemList list = answer.as(ItemList.class);
    String more = list.next();
    ContinueToken next =
        more == null
            ? cursor.next()
            : new ContinueToken(cursor.list(), cursor.parts(), more, cursor.slots());
    List<PeerAnswer> states = new ArrayList<>();
    for (Part part : next.parts()) {
      states.add(part.replica().equals(answer.replica()) ? answer : part.state());
    }
    return reply(
        page(context, cursor, named(list.items(), answer.replica()), List.of(answer)),
        next,
        states);
  }

  /**
   * Fails the request for a page of a run that has ended or does not answer. The problem has a
   * position with the remaining runs, and with runs that are new since the first page.
   */
  private Future<Response> lost(
      RequestContext context,
      ClusterScope scope,
      ContinueToken cursor,
      Part part,
      PeerAnswer answer) {
    boolean again = answer.ok(); // a replica without an answer is not read a second time
    boolean self =
        scope.covers(cluster.self()) && (again || !part.replica().equals(cluster.self()));
    List<Peer> others =
        cluster.others().stream()
            .filter(peer -> scope.covers(peer.replica()))
            .filter(peer -> again || !part.replica().equals(peer.replica()))
            .toList();
    return readAll(context, self, others, 1)
        .map(answers -> {
          if (!again) {
            answers.add(answer);
          }
          boolean nowhere = answers.stream().noneMatch(PeerAnswer::found);
          Problem problem =
              Problem.of(
                      410,
                      "cursor-expired",
                      "Cursor expired",
                      "the items of replica \""
                          + Json.line(part.replica(), 64)
                          + "\" cannot be listed any further: "
                          + (answer.error() == null
                              ? "the controller has restarted, or no longer runs there"
                              : answer.error())
                          + (nowhere
                              ? "; no replica that answered runs the controller, so start again"
                                  + " when one does"
                              : "; start again, or continue with the other replicas with the value"
                                  + " of \"continue\" in this problem"))
                  .withMember("replica", part.replica())
                  .withMember("replicas", PeerAnswer.states(answers));
          throw (nowhere
                  ? problem
                  : problem.withMember(ContinueToken.CONTINUE, fresh(cursor, answers).encode()))
              .rejection();
        });
  }

  private static ContinueToken fresh(ContinueToken before, List<PeerAnswer> now) {
    List<Part> parts = new ArrayList<>();
    Set<String> answered = new HashSet<>();
    for (PeerAnswer answer : now) {
      if (answer.found()) {
        Part part = part(answer);
        answered.add(part.replica());
        parts.add(before.parts().contains(part.done()) ? part.done() : part);
      } else if (!answer.ok()) {
        answered.add(answer.replica());
        parts.add(Part.missing(answer.replica()));
      }
    }
    // A replica of the list that is gone remains in the states of every page.
    for (Part part : before.parts()) {
      if (part.progress() != Progress.DONE && answered.add(part.replica())) {
        parts.add(Part.missing(part.replica()));
      }
    }
    return new ContinueToken(before.list(), parts, null, before.slots());
  }

  private static Part part(PeerAnswer answer) {
    String run = answer.as(ItemList.class).run();
    return new Part(answer.replica(), run == null ? "" : run, Progress.OPEN);
  }

  /**
   * Returns a page.
   *
   * @param found the replicas whose items it has
   */
  private static ItemListBuilder page(
      RequestContext context, List<ItemResource> items, List<PeerAnswer> found) {
    List<ItemList.AsOf> asOf =
        found.stream()
            .map(answer -> new ItemList.AsOf(answer.replica(), answer.as(ItemList.class).asOfSeq()))
            .toList();
    return ItemListBuilder.builder()
        .kind(ItemList.KIND)
        .controller(context.param("c"))
        .items(items)
        .asOf(asOf)
        .asOfSeq(asOf.size() == 1 ? asOf.getFirst().asOfSeq() : null);
  }

  /** Returns a further page; marked when slots have moved since the first one. */
  private ItemListBuilder page(
      RequestContext context,
      ContinueToken cursor,
      List<ItemResource> items,
      List<PeerAnswer> found) {
    boolean moved =
        !cursor.slots().isEmpty() && !cursor.slots().equals(slots.version(context.param("c")));
    return page(context, items, found).moved(moved ? true : null);
  }

  private Response reply(ItemListBuilder page, ContinueToken cursor, List<PeerAnswer> states) {
    return Response.ok(
        Cluster.marked(
            page.next(cursor.current().isPresent() ? cursor.encode() : null).build(),
            cluster.self(),
            states));
  }
}
