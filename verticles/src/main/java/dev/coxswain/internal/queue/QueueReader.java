// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The read side of a queue: single items, and walks over all of them in slices.
 *
 * <p>Thread rule: confined to the queue's event loop; what it returns is immutable.
 *
 * @param <K> the type of the requests
 */
public final class QueueReader<K> {
  /** The most requests with texts too long for an address that can be found by their ids. */
  private static final int MAX_SHORTENED = 10_000;

  private final WorkQueue<K> queue;
  private final RequestFormat<K> format;
  private final Clock clock;
  private final Function<String, Optional<Predicate<K>>> selections;

  /** The requests of shortened ids that were shown, the most recently used. */
  private final Map<ItemId, K> shortened =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ItemId, K> eldest) {
          return size() > MAX_SHORTENED;
        }
      };

  /**
   * Creates a reader.
   *
   * @param queue the queue
   * @param format how requests are shown
   * @param clock the time
   * @param selections returns a test for requests whose object has the labels of a selector; empty
   *     when no source holds objects
   */
  public QueueReader(
      WorkQueue<K> queue,
      RequestFormat<K> format,
      Clock clock,
      Function<String, Optional<Predicate<K>>> selections) {
    this.queue = queue;
    this.format = format;
    this.clock = clock;
    this.selections = selections;
  }

  /**
   * Returns the item with this id, or null when it is neither in the queue nor kept as {@link
   * Phase#TERMINAL}, or the id names no request.
   */
  public @Nullable Item<K> find(ItemId id) {
    Optional<K> key = parse(id);
    return key.isEmpty() ? null : queue.find(key.get());
  }

  /** Returns the revision of an item: it changes whenever the item does. */
  public long revOf(Item<K> item) {
    return Integer.toUnsignedLong(item.order);
  }

  /** Returns the causes of failures whose names are wanted, in no order. */
  public List<CauseSnapshot> causes(LongPredicate wanted) {
    return queue.state().causes.snapshots(wanted);
  }

  /** Returns the counts of all causes of failures, in no order. */
  public List<CauseSnapshot.Count> causeCounts() {
    return queue.state().causes.counts();
  }

  /** Returns the sequence number of an item. */
  public long seqOf(Item<K> item) {
    return queue.state().seqOf(item);
  }

  /** Returns the sequence number of the youngest item so far, 0 for none. */
  public long lastSeq() {
    return queue.state().lastSeq();
  }

  /** Returns a snapshot of an item, for display. */
  public QueuedItem view(Item<K> item) {
    return view(item, clock.nanos(), clock.instant(), true);
  }

  private QueuedItem view(Item<K> item, long now, Instant wall, boolean withStack) {
    String namespace = format.namespace(item.key);
    String name = format.name(item.key);
    Phase phase = item.phase();
    Item.Detail detail = item.detail;
    Item.Detail failed = detail != null && item.failuresShown() > 0 ? detail : null;
    FailureCause cause = failed == null ? null : failed.cause();
    boolean isDelayed = phase == Phase.DELAYED;
    Instant time = wall.plusNanos(item.time - now);
    long due = isDelayed ? queue.pausedCauses().shownDueOf(item) : item.time;
    return new QueuedItem(
        idOf(item.key, namespace, name),
        namespace,
        name,
        phase,
        item.failuresShown(),
        item.is(Item.DIRTY),
        item.is(Item.OVERDUE),
        item.priority,
        item.trigger(),
        isDelayed ? null : time,
        isDelayed && due != QueueState.NEVER ? wall.plusNanos(due - now) : null,
        queue.pausedCauses().of(item) != null && phase != Phase.IN_FLIGHT,
        failed == null || phase == Phase.TERMINAL ? null : wall.plusNanos(failed.windowEnd - now),
        failed == null ? null : failed.lastError,
        failed == null || failed.lastError == null
            ? null
            : Instant.ofEpochMilli(failed.lastErrorMillis),
        cause == null ? null : cause.id(),
        !withStack || cause == null ? null : cause.stack(),
        queue.state().seqOf(item),
        revOf(item));
  }

  private String idOf(K key, String namespace, String name) {
    ItemId id = new ItemId(namespace, name);
    if (!id.fits()) {
      shortened.put(id.shortened(), key);
    }
    return id.encoded();
  }

  /** Returns whether an item matches a filter, its label selector aside. */
  private boolean matches(Item<K> item, ItemFilter filter) {
    return (filter.phases().isEmpty() || filter.phases().contains(item.phase()))
        && (filter.failing() == null || filter.failing() == item.failuresShown() > 0)
        && item.failuresShown() >= filter.minFailures()
        && (filter.maxSeq() == Long.MAX_VALUE || queue.state().seqOf(item) <= filter.maxSeq())
        && (filter.namespace() == null || filter.namespace().equals(format.namespace(item.key)))
        && (filter.nameGlob() == null || filter.matchesName(format.name(item.key)))
        && (filter.cause() == null || filter.cause().equals(causeOf(item)))
        && (filter.errorClass() == null || filter.matchesError(errorOf(item)))
        && (filter.olderThan() == null || isOlder(item, filter.olderThan()))
        && (filter.readyBefore() == null || isReadyBefore(item, filter.readyBefore()));
  }

  private static @Nullable String causeOf(Item<?> item) {
    Item.Detail detail = item.detail;
    FailureCause cause = detail == null ? null : detail.cause();
    return cause == null || item.failuresShown() == 0 ? null : cause.id();
  }

  private static @Nullable String errorOf(Item<?> item) {
    Item.Detail detail = item.detail;
    return detail == null || item.failuresShown() == 0 ? null : detail.lastError;
  }

  private boolean isOlder(Item<K> item, Duration age) {
    return item.phase() != Phase.DELAYED && clock.nanos() - item.time >= Durations.toNanos(age);
  }

  private boolean isReadyBefore(Item<K> item, Instant limit) {
    return switch (item.phase()) {
      case READY, DELAYED -> clock.instant().plusNanos(item.time - clock.nanos()).isBefore(limit);
      case WAITING_TOKEN, IN_FLIGHT, TERMINAL -> false;
    };
  }

  /**
   * Begins a walk.
   *
   * @param filter the items
   * @param cursor where an earlier walk ended, or null for the beginning
   * @param limit the maximum number of items
   * @throws IllegalArgumentException when no source holds the objects, or the selector cannot be
   *     parsed
   */
  public Walk walk(ItemFilter filter, ItemPage.@Nullable Cursor cursor, int limit) {
    String selector = filter.labelSelector();
    Predicate<K> selected =
        selector == null
            ? null
            : selections
                .apply(selector)
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "no source holds the objects of these items, so a label filter is impossible"));
    return new Walk(filter, selected, cursor, limit);
  }

  /**
   * A walk in the order of the mixed hash, one slice at a time; the queue may change between
   * slices.
   *
   * <p>Thread rule: confined to the queue's event loop.
   */
  public final class Walk {
    /** Enough to make a slice worth its while, few enough to stay well under a millisecond. */
    private static final int SLICE = 2_000;

    /** The number of items that the check of one object's labels counts as. */
    private static final int LABELS = 8;

    /** The time limit of a slice: items that are not in the CPU's caches are slow to read. */
    private static final long MAX_TURN_NANOS = 500_000;

    private final ItemFilter filter;
    private final @Nullable Predicate<K> selected;
    private final ItemPage.@Nullable Cursor cursor;
    private final int limit;
    private final List<Item<K>> found = new ArrayList<>();

    /**
     * Items of a range whose labels have not been checked: those of one large object may take a
     * whole slice.
     */
    private final List<Item<K>> candidates = new ArrayList<>();

    private final List<QueuedItem> views = new ArrayList<>();

    private int nextCandidate;
    private int nextView;
    private long next;
    private int seen;
    private boolean more;

    private Walk(
        ItemFilter filter,
        @Nullable Predicate<K> selected,
        ItemPage.@Nullable Cursor cursor,
        int limit) {
      this.filter = filter;
      this.selected = selected;
      this.cursor = cursor;
      this.limit = limit;
      this.next = cursor == null ? 0 : Integer.toUnsignedLong(cursor.hash());
    }

    /** Returns whether an item matches the filter of this walk. */
    public boolean matches(Item<K> item) {
      return QueueReader.this.matches(item, filter)
          && (selected == null || selected.test(item.key));
    }

    /** Visits the next items; returns whether the walk goes on. */
    public boolean step() {
      long began = clock.nanos();
      seen = 0;
      do {
        seen++; // an empty range costs time as well
        if (nextCandidate < candidates.size()) {
          seen += LABELS;
          Item<K> item = candidates.get(nextCandidate++);
          if (queue.find(item.key) == item && matches(item)) {
            found.add(item);
          }
        } else {
          range();
        }
        if (found.size() >= limit) {
          more = found.size() > limit || goesOn();
          found.subList(limit, found.size()).clear();
          return false;
        }
      } while (goesOn() && seen < SLICE && clock.nanos() - began < MAX_TURN_NANOS);
      return goesOn();
    }

    private boolean goesOn() {
      return nextCandidate < candidates.size() || next < ItemTable.END;
    }

    private void range() {
      candidates.clear();
      nextCandidate = 0;
      next = queue.state().table.forEachFrom(next, this::collect);
      candidates.sort(
          Comparator.<Item<K>>comparingInt(item -> item.hash ^ Integer.MIN_VALUE)
              .thenComparingLong(queue.state()::seqOf));
      if (selected == null) {
        found.addAll(candidates);
        candidates.clear();
      }
    }

    private void collect(Item<K> item) {
      seen++;
      if (isBehindCursor(item) && QueueReader.this.matches(item, filter)) {
        candidates.add(item);
      }
    }

    private boolean isBehindCursor(Item<K> item) {
      if (cursor == null) {
        return true;
      }
      int byHash = Integer.compareUnsigned(item.hash, cursor.hash());
      return byHash > 0 || (byHash == 0 && queue.state().seqOf(item) > cursor.seq());
    }

    /**
     * Takes snapshots of the next found items, as they are now, after the walk; items that left the
     * queue meanwhile are skipped. Returns whether there are more.
     */
    public boolean show() {
      long began = clock.nanos();
      long now = began;
      Instant wall = clock.instant();
      while (nextView < found.size() && now - began < MAX_TURN_NANOS) {
        Item<K> item = found.get(nextView++);
        if (queue.find(item.key) == item) {
          views.add(view(item, began, wall, false));
        }
        now = clock.nanos();
      }
      return nextView < found.size();
    }

    /** Returns the page of the snapshots taken. */
    public ItemPage page() {
      ItemPage.Cursor next = null;
      if (more) {
        Item<K> last = found.getLast();
        next = new ItemPage.Cursor(last.hash, queue.state().seqOf(last));
      }
      return new ItemPage(views, next, queue.state().lastSeq());
    }

    /** Returns the items found. */
    public List<Item<K>> items() {
      return found;
    }
  }

  /** Returns the name of a request, for display. */
  public String nameOf(K key) {
    String namespace = format.namespace(key);
    return namespace.isEmpty() ? format.name(key) : namespace + "/" + format.name(key);
  }

  /** Returns the namespace of a request. */
  public String namespaceOf(K key) {
    return format.namespace(key);
  }

  /** Returns why no request can have this id; empty when one can. Any thread. */
  public Optional<String> impossible(ItemId id) {
    return format.impossible(id.namespace(), id.name());
  }

  /** Returns the request with this id, or empty. */
  public Optional<K> parse(ItemId id) {
    K shown = shortened.get(id);
    return shown == null ? format.parse(id.namespace(), id.name()) : Optional.of(shown);
  }

  /**
   * Returns how many items are served before this one in its queue, or -1 when it is in none. Takes
   * time linear in the number of items before it.
   */
  public int positionOf(Item<K> item) {
    return queue.state().before(item);
  }

  /**
   * Estimates how long the retry at a position of the queue for tokens still waits, in nanoseconds.
   */
  public long estimateTokenNanos(int position) {
    return queue.state().estimateTokenNanos(position);
  }
}
