// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.operation.ListQuery;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.selector.Selection;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import dev.coxswain.apiserver.internal.view.Rendering;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** All open watches; confined to the server's event loop. */
public final class WatchHub {
  private static final int MIN_LIFE = 1800;
  private static final int PACE_MILLIS = 50;
  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final ObjectStore store;
  private final Rendering rendering;
  private final int bound;
  private final Map<String, Set<Watcher>> watchers = new LinkedHashMap<>();
  private final SplittableRandom random = new SplittableRandom();
  private final long bookmarkTimer;
  private final FaultPlan faults;
  private final Context context;
  private final Conversions conversions;
  private final Pieces pieces = new Pieces();
  private long paceTimer = NO_TIMER;
  private boolean pumping;

  /** Creates a hub that listens to {@code store}; must be closed. */
  public WatchHub(
      Vertx vertx,
      Context context,
      ObjectStore store,
      Rendering rendering,
      int bound,
      Duration bookmarkInterval,
      FaultPlan faults,
      Conversions conversions) {
    this.conversions = conversions;
    this.faults = faults;
    this.vertx = vertx;
    this.context = context;
    this.store = store;
    this.rendering = rendering;
    this.bound = bound;
    this.bookmarkTimer =
        vertx.setPeriodic(
            Math.max(1, bookmarkInterval.toMillis()), id -> each(w -> w.bookmark(store.version())));
    store.onChange(this::publish);
  }

  /** Opens a watch on a response whose head is not yet written. */
  public void open(
      HttpServerResponse response,
      ServedResource resource,
      Selection selection,
      Rendering.Shape shape,
      ListQuery query) {
    ObjectCollection collection = store.collection(resource.type());
    boolean initial =
        Boolean.TRUE.equals(query.initialEvents())
            || (query.initialEvents() == null && query.version() <= 0);
    boolean expired = !initial && query.version() >= 0 && query.version() < collection.oldest();
    ApiException tooOld =
        ApiException.expired(
            "too old resource version: " + query.version() + " (" + collection.oldest() + ")");
    if (expired && faults.answersExpiredAsStatus()) {
      throw tooOld;
    }
    boolean endMark = Boolean.TRUE.equals(query.initialEvents());
    long from = query.version() < 0 ? store.version() : query.version();
    boolean converted = resource.converted();
    Stream<byte[]> backlog =
        expired || converted
            ? Stream.empty()
            : initial
                ? initialEvents(collection, resource, selection, shape, endMark)
                : missed(collection, resource, selection, shape, from);
    response
        .setChunked(true)
        .putHeader("Content-Type", "application/json")
        .putHeader("Cache-Control", "no-cache, private");
    response.writeHead();
    Watcher watcher =
        new Watcher(
            response,
            resource,
            selection,
            shape,
            query.bookmarks(),
            bound,
            backlog.iterator(),
            faults.gate(),
            rendering,
            pieces,
            this::pumpLater);
    String group = resource.type().group();
    String plural = resource.type().plural();
    if (faults.silences(group, plural)) {
      watcher.mute();
    }
    watcher.pace(faults.bytesPerSecond(group, plural));
    register(watcher, response, query);
    watcher.start();
    if (converted && !expired) {
      ConvertedEvents events = watcher.convert(conversions, collection);
      if (initial) {
        collection.range(selection.namespace()).values().stream()
            .filter(selection::matches)
            .forEach(object -> events.add("ADDED", object));
        if (endMark) {
          events.add(Watcher.bookmark(rendering, resource, shape, store.version(), true));
        }
      } else {
        for (Change change : collection.since(from)) {
          if (!faults.lost(collection.storage(), change.version())) {
            watcher.offer(change, new EventCache(collection, rendering));
          }
        }
      }
    }
    if (expired) {
      watcher.expire(error(tooOld));
    }
  }

  private byte[] error(ApiException error) {
    return rendering.event("ERROR", Json.bytes(error.toStatus()));
  }

  private void register(Watcher watcher, HttpServerResponse response, ListQuery query) {
    String storage = watcher.resource().type().storage();
    watchers.computeIfAbsent(storage, k -> new LinkedHashSet<>()).add(watcher);
    int seconds =
        query.timeoutSeconds() > 0 ? query.timeoutSeconds() : MIN_LIFE + random.nextInt(MIN_LIFE);
    long timer = vertx.setTimer(seconds * 1000L, id -> watcher.timeOut(store.version()));
    Runnable forget =
        () -> {
          vertx.cancelTimer(timer);
          Set<Watcher> open = watchers.get(storage);
          if (open != null) {
            open.remove(watcher);
            if (open.isEmpty()) {
              watchers.remove(storage);
            }
          }
        };
    response.exceptionHandler(e -> forget.run());
    response.closeHandler(v -> forget.run());
    response.endHandler(v -> forget.run());
    if (response.closed()) {
      forget.run(); // the client has left while its request was held: no handler is called any more
    }
  }

  private Stream<byte[]> initialEvents(
      ObjectCollection collection,
      ServedResource resource,
      Selection selection,
      Rendering.Shape shape,
      boolean endMark) {
    // a copy of references: the objects are immutable, the map is not
    List<StoredObject> now = new ArrayList<>();
    for (StoredObject object : collection.range(selection.namespace()).values()) {
      if (selection.matches(object)) {
        now.add(object);
      }
    }
    long version = store.version();
    Rendering.Shape later = shape.behindFirst();
    Stream<byte[]> events =
        IntStream.range(0, now.size())
            .mapToObj(i -> rendering.event("ADDED", resource, now.get(i), i == 0 ? shape : later));
    return endMark
        ? Stream.concat(
            events,
            Stream.of(version).map(v -> Watcher.bookmark(rendering, resource, shape, v, true)))
        : events;
  }

  private Stream<byte[]> missed(
      ObjectCollection collection,
      ServedResource resource,
      Selection selection,
      Rendering.Shape shape,
      long from) {
    List<byte[]> events = new ArrayList<>();
    for (Change change : collection.since(from)) {
      String type = Watcher.type(change, selection);
      if (type != null && !faults.lost(collection.storage(), change.version())) {
        EventCache cache = new EventCache(collection, rendering);
        StoredObject previous = change.previous();
        StoredObject subject =
            type.equals("DELETED") && !change.deleted() && previous != null
                ? cache.leaving(change, previous)
                : change.current();
        events.add(
            cache.event(type, resource, subject, events.isEmpty() ? shape : shape.behindFirst()));
      }
    }
    return events.stream();
  }

  private void publish(ObjectCollection collection, Change change) {
    boolean lost = faults.loses(collection.storage(), change.version(), collection.oldest());
    Set<Watcher> open = watchers.get(collection.storage());
    if (open == null || lost) {
      return;
    }
    EventCache cache = new EventCache(collection, rendering);
    for (Iterator<Watcher> i = List.copyOf(open).iterator(); i.hasNext(); ) {
      Watcher watcher = i.next();
      if (!watcher.offer(change, cache)) {
        open.remove(watcher);
      }
    }
  }

  /** Many writes of one turn of the event loop go out together. */
  private void pumpLater() {
    if (!pumping) {
      pumping = true;
      context.runOnContext(v -> {
        pumping = false;
        each(Watcher::pump);
      });
    }
  }

  private void each(java.util.function.Consumer<Watcher> action) {
    for (Set<Watcher> open : List.copyOf(watchers.values())) {
      List.copyOf(open).forEach(action);
    }
  }

  /** Sends a bookmark on every watch that takes them. */
  public void bookmark() {
    each(watcher -> watcher.bookmark(store.version()));
  }

  /** Number of open watches. */
  public int size() {
    return watchers.values().stream().mapToInt(Set::size).sum();
  }

  /** Ends every watch cleanly. */
  public void closeAll() {
    each(Watcher::end);
  }

  /** Ends the watches of a resource that is no longer served. */
  public void closeAll(String storage) {
    List.copyOf(watchers.getOrDefault(storage, Set.of())).forEach(Watcher::end);
  }

  /** Ends watches that a filter means, {@code limit} at most (0 = all); returns how many. */
  public int closeSome(FaultFilter filter, int limit) {
    List<Watcher> chosen = choose(filter, limit);
    chosen.forEach(Watcher::end);
    return chosen.size();
  }

  /**
   * Silences watches until they are closed, as when a middle box has dropped the connection, {@code
   * limit} at most (0 = all); returns how many.
   */
  public int silence(FaultFilter filter, int limit) {
    List<Watcher> chosen = choose(filter, limit);
    chosen.removeIf(watcher -> !watcher.mute());
    return chosen.size();
  }

  /** Sends an expired-version error to every watch, and ends it. */
  public void expireAll() {
    byte[] error =
        error(ApiException.expired("The resourceVersion for the provided watch is too old."));
    each(watcher -> watcher.expire(error));
  }

  /** Applies the present faults: pace, and whether the server is paused. */
  public void faultsChanged() {
    each(watcher -> {
      ResourceType type = watcher.resource().type();
      watcher.pace(faults.bytesPerSecond(type.group(), type.plural()));
      if (!faults.gate().closed()) {
        watcher.resume();
      }
    });
    if (faults.slowsWatches() && paceTimer == NO_TIMER) {
      paceTimer = vertx.setPeriodic(PACE_MILLIS, id -> each(w -> w.elapsed(PACE_MILLIS)));
    } else if (!faults.slowsWatches() && paceTimer != NO_TIMER) {
      vertx.cancelTimer(paceTimer);
      paceTimer = NO_TIMER;
    }
  }

  private List<Watcher> choose(FaultFilter filter, int limit) {
    List<Watcher> chosen = new ArrayList<>();
    each(watcher -> {
      ResourceType type = watcher.resource().type();
      if ((limit == 0 || chosen.size() < limit)
          && filter.matchesResource(type.group(), type.plural())) {
        chosen.add(watcher);
      }
    });
    return chosen;
  }

  /** Ends everything. */
  public void close() {
    vertx.cancelTimer(bookmarkTimer);
    if (paceTimer != NO_TIMER) {
      vertx.cancelTimer(paceTimer);
    }
    closeAll();
  }
}
