// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.NamespaceFilter;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import io.kubernetes.client.common.KubernetesObject;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The watches of one cache, each of which selects what the cache keeps when it is opened. Where that cannot be selected, or is
 * nearly everything, it is of everything.
 *
 * <p>Thread rule: opened and ended by the thread of the reflector, which {@link #cover} waits for; the rest on any thread,
 * without blocking.
 *
 * <h2>Why nothing is missed</h2>
 *
 * <ul>
 *   <li>A watch is opened at the version at which the last one ended. So what is in all selections since its list is up to
 *       date.
 *   <li>A slot is listed when no watch without it is open ({@link #cover}): the next one brings what is later than the list.
 *   <li>A namespace that is reported as new is listed in the same way, since its first objects may have come while a watch
 *       without it was open. It is {@linkplain KnownNamespaces#names known} before it is reported here, and
 *       a selection is computed under the lock: either it has the namespace, or it is there when the report comes.
 *   <li>A namespace of which an object is stored stays selected, also when it is gone: the informer of namespaces may be ahead of this
 *       cache, and the deletions of its objects still to come. What a list has brought of a namespace that the open watch
 *       does not have is listed once more.
 * </ul>
 */
public final class SelectedWatch<T extends KubernetesObject> {

  private static final String PARAMETER = "shardSelector";
  private static final String INVALID = "invalid shard selector";
  private static final int BAD_REQUEST = 400;
  private static final int SERVER_ERROR = 500;

  /** Not authorized, not installed, expired, too many: answers to a watch, with or without a selector. */
  private static final Set<Integer> OTHERS = Set.of(401, 404, 410, 429);

  /** A watch is not opened again for a selection of this share of its own, or more. */
  private static final double NEARLY_THE_SAME = 0.8;

  private final CacheKey<T> key;
  private final SlotFilter filter;
  private final @Nullable KnownNamespaces known;
  private final Supplier<Set<String>> stored;
  private final ReentrantLock lock = new ReentrantLock();

  /** A watch was opened, or has ended. */
  private final Condition changed = lock.newCondition();

  /** The open watch, under the lock. */
  private @Nullable WatchStream open;

  /** Of the open watch or of the last one; replaced under the lock. */
  private volatile Selection selection = Selection.ALL;

  /** Whether no watch is open or being opened, so that the next selection is computed later; under the lock. */
  private boolean between = true;

  /** Whether a watch since the last list was not of everything; changed under the lock. */
  private volatile boolean partial;

  /** Whether the open watch still sends its list, under the lock. */
  private boolean listing;

  /** The last watch that was opened, and the last one that was closed for another selection. */
  private volatile @Nullable WatchStream last;

  private volatile @Nullable WatchStream reselected;

  /** What the last selection was computed from, under the lock. */
  private Basis basis = Basis.NONE;

  /** The namespaces that are to be listed, with the number of the last report of each; under the lock. */
  private final Map<String, Long> fresh = new HashMap<>();

  private long reports;

  private final WatchTraffic traffic = new WatchTraffic();
  private volatile Runnable loader = () -> {};

  /**
   * What may change a selection to a smaller one.
   *
   * @param usable whether watches can select now
   */
  private record Basis(BitSet slots, boolean usable, long removals) {

    /** Equals no other one: a selection without a report may be smaller. */
    static final Basis NONE = new Basis(new BitSet(), false, -1);
  }

  /**
   * Creates the watches of a cache.
   *
   * @param known the namespaces; null when watches of this cache never select
   * @param stored the namespaces of the objects in the store
   */
  public SelectedWatch(
      CacheKey<T> key,
      SlotFilter filter,
      @Nullable KnownNamespaces known,
      Supplier<Set<String>> stored) {
    this.key = key;
    this.filter = filter;
    this.known = known;
    this.stored = stored;
  }

  /** Returns whether watches of a cache can select at all: its objects have namespaces, and it is of all of them. */
  public static boolean isPossible(CacheKey<?> key) {
    return key.type().namespaced() && key.namespace().isEmpty();
  }

  /** Returns whether its watches may select. */
  public boolean selects() {
    return known != null;
  }

  /**
   * Begins to follow what exists.
   *
   * @param loads starts a load of new namespaces; must not block
   */
  public void start(Runnable loads) {
    loader = loads;
    if (known != null) {
      known.add(this);
    }
  }

  public void stop() {
    if (known != null) {
      known.remove(this);
    }
  }

  // The reflector

  /**
   * Opens a watch.
   *
   * @param transport the connection of the reflector
   * @param query its parameters but the selector
   * @param list whether it begins with a list
   * @throws ApiStatusException when the request fails
   */
  public WatchStream open(ApiTransport transport, Map<String, String> query, boolean list) {
    Selection now = select(list);
    WatchStream stream;
    try {
      stream = open(transport, query, now);
    } catch (ApiStatusException e) {
      if (now.isAll() || !mayBeRefusal(e)) {
        throw e;
      }
      now = Selection.ALL;
      stream = open(transport, query, now);
      Objects.requireNonNull(known).refused(e);
    }
    lock.lock();
    try {
      if (now.isAll()) {
        selection = now;
      }
      open = stream;
      last = stream;
      listing = list;
      traffic.opened();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return stream;
  }

  private static boolean mayBeRefusal(ApiStatusException answer) {
    return String.valueOf(answer.getMessage()).contains(INVALID)
        || (answer.code() >= BAD_REQUEST
            && answer.code() < SERVER_ERROR
            && !OTHERS.contains(answer.code()));
  }

  private WatchStream open(ApiTransport transport, Map<String, String> query, Selection of) {
    Map<String, String> selected = new HashMap<>(query);
    if (of.ranges() != null) {
      selected.put(PARAMETER, of.ranges().toString());
    }
    return transport.watch(key.type().path(key.namespace()), selected, key.type().acceptWatch());
  }

  /** Computes what the next watch selects; a list of everything is one of everything. */
  private Selection select(boolean list) {
    lock.lock();
    try {
      Selection now = list && filter.namespacesOfList().isAll() ? Selection.ALL : compute();
      selection = now;
      between = false;
      partial |= !now.isAll();
      return now;
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private Selection compute() {
    NamespaceFilter needed = filter.namespacesKept();
    basis = basis(needed);
    if (known == null || !basis.usable) {
      return Selection.ALL;
    }
    Set<String> more = new HashSet<>(stored.get());
    more.addAll(fresh.keySet());
    Selection now = Selection.of(needed, known.names(), more);
    if (!known.names().containsAll(now.namespaces())) {
      // No report comes when the last object of a namespace that is gone is deleted.
      basis = Basis.NONE;
    }
    return now;
  }

  private Basis basis(NamespaceFilter needed) {
    return known != null && !needed.isAll() && known.isUsable()
        ? new Basis(needed.slots(), true, known.removals())
        : new Basis(needed.slots(), false, 0);
  }

  /** The last watch has ended. */
  public void ended() {
    lock.lock();
    try {
      open = null;
      between = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A list is in the store, and watches go on from its version. */
  public void listed() {
    lock.lock();
    try {
      listing = false;
      partial = !between && !selection.isAll();
      Selection now = between ? Selection.ALL : selection;
      fresh.keySet().removeIf(now::hasNamespace); // they are in the list
    } finally {
      lock.unlock();
    }
    brought(stored.get());
    if (known != null) {
      known.changed(this); // what was reported during the list has not interrupted it
    }
  }

  /** Returns whether the last watch was closed so that the next one can select more, or less. */
  public boolean isReselecting() {
    WatchStream stream = last;
    return stream != null && stream == reselected;
  }

  /** Closes the open watch. */
  public void close() {
    WatchStream stream = locked(() -> open);
    if (stream != null) {
      stream.close();
    }
  }

  private void reselect(WatchStream stream) {
    reselected = stream;
    stream.close();
  }

  // Slots

  /** Slots are not kept any more: a watch selects them no longer than it is open, and does not receive their new namespaces. */
  public void released(BitSet slots) {
    lock.lock();
    try {
      selection = selection.without(slots);
      fresh.keySet().removeIf(name -> !filter.namespacesKept().has(name));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no watch is open, or being opened, that does not select what a load is about to list.
   *
   * @throws InterruptedException when the loader stops
   */
  public void cover(SlotLoad load) throws InterruptedException {
    WatchStream closed = null;
    lock.lockInterruptibly();
    try {
      while (!between && filter.load() == load && !covers(load)) {
        WatchStream stream = open;
        if (stream == null || stream == closed) {
          changed.await();
          continue;
        }
        closed = stream;
        lock.unlock(); // the reader of the stream takes it when the stream has ended
        try {
          reselect(stream);
        } finally {
          lock.lock();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean covers(SlotLoad load) {
    Selection now = selection;
    Set<String> namespaces = load.namespaces();
    if (namespaces != null) {
      return namespaces.stream().allMatch(now::hasNamespace);
    }
    return filter.namespacesOf(load).isAll() ? now.isAll() : now.hasSlots(load.slots());
  }

  /** Objects of these namespaces were stored by a list. */
  public void brought(Collection<String> namespaces) {
    lock.lock();
    try {
      Selection now = selection;
      if (!between) {
        namespaces.stream().filter(name -> !now.hasNamespace(name)).forEach(this::list);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lists a namespace soon; under the lock. */
  private void list(String namespace) {
    if (filter.namespacesKept().has(namespace)) {
      fresh.put(namespace, ++reports);
    }
  }

  /** Returns the namespaces to list, with the numbers of their reports. */
  public Map<String, Long> fresh() {
    return locked(() -> Map.copyOf(fresh));
  }

  /** Namespaces were listed. */
  public void loaded(Map<String, Long> namespaces) {
    lock.lock();
    try {
      namespaces.forEach(fresh::remove);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether changes of the objects of a namespace may not have been received yet that are earlier than what was
   * received last: it is new, and is being loaded.
   */
  public boolean misses(String namespace) {
    if (!partial || known == null || !filter.namespacesKept().has(namespace)) {
      return false;
    }
    return locked(() ->
        !selection.hasNamespace(namespace)
            || fresh.containsKey(namespace)
            || !known.names().contains(namespace));
  }

  /**
   * Returns the version up to which everything is in the cache.
   *
   * @param received the version that was received last
   * @return that one or an earlier one; empty while it is unknown
   */
  public String position(String received) {
    if (!partial || known == null) {
      return received;
    }
    String ofNames = known.position(); // before what was reported by then
    if (!fresh().isEmpty() || !Versions.comparable(received, ofNames)) {
      return "";
    }
    return Versions.reaches(received, ofNames) ? ofNames : received;
  }

  // Status

  /** An event was received. */
  public void received(ReceivedObject object) {
    traffic.received(object.size());
  }

  /** An object of a list was received, kept or not. */
  public void listed(ReceivedObject object) {
    traffic.listed(object.size());
  }

  /** An event was received of an object that is not kept. */
  public void dropped(ReceivedObject object) {
    ShardRanges ranges = selection.ranges();
    traffic.dropped(object.size(), ranges == null || ranges.has(object.namespace()));
  }

  /** Returns what its watches select, and what was received. */
  public CacheStatus.Watched status() {
    Selection now = selection;
    return traffic.status(now, selectedBy(now));
  }

  private CacheStatus.Selection selectedBy(Selection now) {
    if (!now.isAll()) {
      return traffic.isUnselected() ? CacheStatus.Selection.IGNORED : CacheStatus.Selection.SERVER;
    }
    if (!filter.isFiltered()) {
      return CacheStatus.Selection.ALL;
    }
    if (known == null || filter.namespacesKept().isAll()) {
      return CacheStatus.Selection.HERE;
    }
    if (known.isUsable()) {
      return CacheStatus.Selection.ALL;
    }
    return known.isRefused()
        ? CacheStatus.Selection.REFUSED
        : CacheStatus.Selection.NAMESPACES_UNKNOWN;
  }

  private <V> V locked(Supplier<V> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  // Reports of namespaces

  void added(String namespace) {
    lock.lock();
    try {
      if (partial) {
        list(namespace);
      }
    } finally {
      lock.unlock();
    }
  }

  void loadNew() {
    if (!fresh().isEmpty()) {
      loader.run();
    }
  }

  /** Has the reflector open another watch when that would select clearly less. */
  void narrow() {
    WatchStream stream;
    lock.lock();
    try {
      if (open == null || listing || basis(filter.namespacesKept()).equals(basis)) {
        return;
      }
      Selection now = compute();
      int selected =
          selection.isAll() && known != null ? known.names().size() : selection.namespaces().size();
      if (now.isAll() || now.namespaces().size() > NEARLY_THE_SAME * selected) {
        return;
      }
      stream = open;
    } finally {
      lock.unlock();
    }
    reselect(stream);
  }
}
