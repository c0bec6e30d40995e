// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The operations of this replica: those that run, at most one per controller, and the last ones
 * that are over; and notes of those of others. Confined to the admin event loop.
 */
public final class OperationLog {

  /** How many operations are remembered after their end. */
  static final int MAX_ENDED = 256;

  private final String epoch = "%08x".formatted(ThreadLocalRandom.current().nextInt());
  private final Map<String, Operation> operations = new LinkedHashMap<>(); // the oldest first
  private final Map<String, RemoteOperation> notes = new LinkedHashMap<>();
  private final Set<String> busy = new HashSet<>();
  private long lastNumber;

  /** Returns an id that no operation of another run of a replica has. */
  String nextId() {
    return "op-" + epoch + "-" + ++lastNumber;
  }

  /** Takes the place of the one operation that a controller may have; false when it is taken. */
  boolean reserve(String controller) {
    return busy.add(controller);
  }

  void release(String controller) {
    busy.remove(controller);
  }

  void began(Operation operation) {
    operations.put(operation.id(), operation);
    notes.remove(operation.id());
  }

  void ended(Operation operation) {
    release(operation.controller());
    long over = operations.values().stream().filter(known -> !known.running()).count();
    Iterator<Operation> oldest = operations.values().iterator();
    while (over > MAX_ENDED && oldest.hasNext()) {
      if (!oldest.next().running()) {
        oldest.remove();
        over--;
      }
    }
  }

  public Optional<Operation> find(String id) {
    return Optional.ofNullable(operations.get(id));
  }

  /**
   * Keeps what is first heard of an operation of others; of the last ones only. The caller with the
   * most notes loses its oldest one, so that no caller evicts the notes of the others. Of one in
   * which this replica has a part, only who refused theirs is news.
   */
  void note(RemoteOperation note) {
    Operation own = operations.get(note.id());
    if (own != null) {
      if (own.controller().equals(note.controller()) && own.actor().equals(note.actor())) {
        own.refusedBy(note.ticket().refused());
      }
      return;
    }
    notes.putIfAbsent(note.id(), note);
    if (notes.size() > MAX_ENDED) {
      evict();
    }
  }

  private void evict() {
    Map<String, Integer> counts = new HashMap<>();
    notes.values().forEach(note -> counts.merge(note.actor(), 1, Integer::sum));
    int most = Collections.max(counts.values());
    Iterator<RemoteOperation> oldest = notes.values().iterator();
    while (counts.getOrDefault(oldest.next().actor(), 0) < most) {
      // the next one is younger
    }
    oldest.remove();
  }

  Optional<RemoteOperation> noted(String id) {
    return Optional.ofNullable(notes.get(id));
  }

  /** Returns what is known of operations of others, the youngest first. */
  List<RemoteOperation> notes() {
    return new ArrayList<>(notes.values()).reversed();
  }

  /**
   * What an operation is about.
   *
   * @param namespace the one namespace, empty for all of them
   */
  record Subject(String controller, String namespace) {}

  /** Returns what an operation is about, of which anything is known here. */
  Optional<Subject> subject(String id) {
    return find(id)
        .map(known -> new Subject(known.controller(), known.namespace()))
        .or(() -> noted(id).map(note -> new Subject(note.controller(), note.order().namespace())));
  }

  /** Returns the operations, the youngest first. */
  public List<Operation> all() {
    return new ArrayList<>(operations.values()).reversed();
  }
}
