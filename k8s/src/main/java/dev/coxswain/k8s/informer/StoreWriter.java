// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the store of an informer, published to its indexes and listener queues.
 *
 * <p>Thread rule: under the informer's lock.
 */
final class StoreWriter<T extends KubernetesObject> {

  private final EntryStore store;
  private final Map<Index<T>, Indexer<T>> indexes;
  private final Set<ListenerQueue<T>> queues;

  /** A change that is in the store but not in all indexes and queues. */
  private @Nullable StoredChange unpublished;

  /** The way in which a change is published. */
  private enum Publication {
    /** The store has changed. */
    CHANGE,
    /** A state that was never stored. */
    PASSING,
    /** The object is not kept any more: listeners do not receive it. */
    EVICTION
  }

  private record StoredChange(
      Request object,
      @Nullable Entry before,
      @Nullable Entry now,
      Entry last,
      Trigger trigger,
      Publication publication) {}

  StoreWriter(EntryStore store, Map<Index<T>, Indexer<T>> indexes, Set<ListenerQueue<T>> queues) {
    this.store = store;
    this.indexes = indexes;
    this.queues = queues;
  }

  /** Stores a state, unless it is there. */
  void change(Request changed, Entry entry, Trigger trigger) {
    Request object = store.shared(changed);
    Entry before = store.find(object);
    if (before != null && before.isSameVersionAs(entry)) {
      return;
    }
    StoredChange stored =
        new StoredChange(object, before, entry, entry, trigger, Publication.CHANGE);
    store.put(object, entry);
    unpublished = stored;
    publish();
  }

  /** Removes an object; {@code last} is its final state if the server sent one. */
  void forget(Request gone, @Nullable Entry last) {
    Request object = store.shared(gone);
    Entry before = store.find(object);
    if (before == null) {
      return;
    }
    Entry end = last == null ? before : last;
    StoredChange stored =
        new StoredChange(object, before, null, end, Trigger.EVENT, Publication.CHANGE);
    store.remove(object);
    unpublished = stored;
    publish();
  }

  /**
   * Delivers a state that is not stored, as an object that came and went: the object is gone by now,
   * or is stored in a later state. Its requests may have no other object that leads to them.
   */
  void pass(Request gone, Entry state) {
    unpublished =
        new StoredChange(store.shared(gone), null, null, state, Trigger.EVENT, Publication.PASSING);
    publish();
  }

  /** Removes an object that is not kept any more; listeners receive nothing. */
  void evict(Request evicted, Entry before) {
    Request object = store.shared(evicted);
    StoredChange stored =
        new StoredChange(object, before, null, before, Trigger.EVENT, Publication.EVICTION);
    store.remove(object);
    unpublished = stored;
    publish();
  }

  /**
   * Publishes the stored change to the indexes and listener queues. When that throws, for want of
   * memory, it is repeated before the next change: a list would find no difference.
   */
  void publish() {
    StoredChange stored = unpublished;
    if (stored == null) {
      return;
    }
    if (stored.publication != Publication.PASSING) {
      indexes.values().forEach(index -> index.change(stored.object, stored.now));
    }
    if (stored.publication != Publication.EVICTION) {
      for (ListenerQueue<T> queue : queues) {
        offer(queue, stored);
      }
    }
    unpublished = null;
  }

  private void offer(ListenerQueue<T> queue, StoredChange stored) {
    if (stored.publication == Publication.CHANGE) {
      queue.offer(stored.object, stored.before, stored.now, stored.last, stored.trigger);
      return;
    }
    // As an object of its own: it must not be merged with the changes of its later states.
    Object key = new PendingChanges.Passed(stored.object, stored.last.resourceVersion());
    queue.offer(key, null, stored.last, stored.last, stored.trigger);
    queue.offer(key, stored.last, null, stored.last, stored.trigger);
  }
}
