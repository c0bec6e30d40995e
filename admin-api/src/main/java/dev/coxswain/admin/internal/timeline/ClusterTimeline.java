// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.internal.cause.Causes;
import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.StoredHistory;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The timeline of the cluster: that of each replica that answers, and what is stored of those that
 * have ended. What several replicas have seen, or done for one request, is one event. Confined to the
 * admin event loop.
 */
public final class ClusterTimeline {

  /** What replicas see of the same event is no further apart. */
  private static final Duration TOGETHER = Duration.ofSeconds(30);

  private final Cluster cluster;
  private final Timeline local;
  private final Causes causes;
  private final History history;
  private final JsonWork work;

  public ClusterTimeline(
      Cluster cluster, Timeline local, Causes causes, History history, JsonWork work) {
    this.cluster = cluster;
    this.local = local;
    this.causes = causes;
    this.history = history;
    this.work = work;
  }

  /** Lists the events of this replica, for another one. */
  public Future<Response> listOwn(RequestContext context) {
    return local.list(context, causes);
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Query wanted = context.query();
    TimelineQuery query = TimelineQuery.of(wanted);
    wanted.check();
    Future<StoredHistory> stored = scope.stored(history);
    return cluster
        .getAll(context, scope, this::listOwn, TimelineList.class)
        .compose(answers -> stored.compose(kept -> merged(query, answers, kept)));
  }

  private Future<Response> merged(
      TimelineQuery query, List<PeerAnswer> answers, StoredHistory kept) {
    List<PeerAnswer> found = Cluster.found(answers);
    return work.run(
        true,
        () -> {
          boolean more = found.stream().anyMatch(one -> one.as(TimelineList.class).more());
          List<TimelineEvent> events = new ArrayList<>();
          found.forEach(answer -> events.addAll(answer.as(TimelineList.class).items()));
          events.addAll(kept.events());
          kept.records().stream()
              .map(record ->
                  Timeline.of(
                      record.json(), Objects.requireNonNullElse(record.json().replica(), "")))
              .filter(Objects::nonNull)
              .forEach(events::add);
          return Response.ok(
              Cluster.marked(
                  Timeline.newest(together(events), query, more, kept.problem()),
                  cluster.self(),
                  answers));
        });
  }

  /** Merges what is the same event; the first one that was seen stays. */
  static List<TimelineEvent> together(List<TimelineEvent> events) {
    Map<List<String>, Integer> last = new HashMap<>(); // where the last one of each is
    List<TimelineEvent> merged = new ArrayList<>();
    events.stream()
        .distinct() // of the memory and of the store
        .sorted(Comparator.comparing(TimelineEvent::at))
        .forEach(event -> {
          Integer at = last.get(event.sameAs());
          if (at != null && isSame(merged.get(at), event)) {
            merged.set(at, merged.get(at).plus(event));
          } else {
            last.put(event.sameAs(), merged.size());
            merged.add(event);
          }
        });
    return merged;
  }

  private static boolean isSame(TimelineEvent before, TimelineEvent event) {
    return event.type().equals(TimelineType.CAUSE_FIRST_SEEN.label())
        || (!event.at().isAfter(before.at().plus(TOGETHER))
            && !before.replicas().containsAll(event.replicas()));
  }
}
