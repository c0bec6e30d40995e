// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.model.OperationResource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * The operations of this replica: at most one running per controller, and the last ended ones. It
 * also stores the records of remote operations. Confined to the admin event loop.
 */
public final class OperationLog {

  /** The limit of ended operations, and of remote records. */
  static final int MAX_ENDED = 256;

  /** The limit of final parts of other replicas; each is a few kilobytes at most. */
  static final int MAX_FINAL_PARTS = 1024;

  private final String epoch = "%08x".formatted(ThreadLocalRandom.current().nextInt());
  private final Map<String, Operation> operations = new LinkedHashMap<>(); // the oldest first
  private final Map<String, OperationRecord> remotes = new LinkedHashMap<>();
  private final Map<String, Map<String, OperationResource>> finalParts = new LinkedHashMap<>();
  private final Set<String> busy = new HashSet<>();
  private long lastNumber;

  /** Returns an id that no operation of another run of a replica has. */
  String nextId() {
    return "op-" + epoch + "-" + ++lastNumber;
  }

  /**
   * Stores the final part of another replica, which counts when that replica is gone. The first one
   * remains: what is finished does not change. The parts of the oldest operation are dropped when
   * there are too many.
   */
  void keepFinal(String id, String replica, OperationResource part) {
    finalParts.computeIfAbsent(id, none -> new TreeMap<>()).putIfAbsent(replica, part);
    int parts = finalParts.values().stream().mapToInt(Map::size).sum();
    var oldest = finalParts.values().iterator();
    while (parts > MAX_FINAL_PARTS && oldest.hasNext()) {
      parts -= oldest.next().size();
      oldest.remove();
    }
  }

  /** Returns the final parts that other replicas have reported, by replica. */
  Map<String, OperationResource> finalParts(String id) {
    return finalParts.getOrDefault(id, Map.of());
  }

  /** Reserves the one operation of a controller; false when another one is running. */
  boolean reserve(String controller) {
    return busy.add(controller);
  }

  void release(String controller) {
    busy.remove(controller);
  }

  void began(Operation operation) {
    operations.put(operation.id(), operation);
    remotes.remove(operation.id());
  }

  void ended(Operation operation) {
    release(operation.controller());
    List<String> ended =
        operations.values().stream().filter(one -> !one.running()).map(Operation::id).toList();
    ended.stream().limit(Math.max(0, ended.size() - MAX_ENDED)).forEach(operations::remove);
  }

  public Optional<Operation> find(String id) {
    return Optional.ofNullable(operations.get(id));
  }

  /**
   * Stores the first record of a remote operation. When there are too many, the actor with most of
   * them loses its oldest one, so that no actor evicts the records of others. When this replica has
   * a part of the operation, the record only adds the replicas that refused theirs.
   */
  void addRemote(OperationRecord remote) {
    Operation own = operations.get(remote.id());
    if (own != null) {
      if (own.controller().equals(remote.controller())
          && own.record().actor().equals(remote.actor())) {
        own.refusedBy(remote.header().refused());
      }
      return;
    }
    remotes.putIfAbsent(remote.id(), remote);
    if (remotes.size() > MAX_ENDED) {
      Map<String, Long> counts =
          remotes.values().stream()
              .collect(Collectors.groupingBy(OperationRecord::actor, Collectors.counting()));
      Long most = Collections.max(counts.values());
      remotes.values().stream()
          .filter(one -> most.equals(counts.get(one.actor())))
          .findFirst()
          .ifPresent(oldest -> remotes.remove(oldest.id()));
    }
  }

  Optional<OperationRecord> remote(String id) {
    return Optional.ofNullable(remotes.get(id));
  }

  /** Returns the records of remote operations, the youngest first. */
  List<OperationRecord> remotes() {
    return new ArrayList<>(remotes.values()).reversed();
  }

  /** Returns the subject of a known operation. */
  Optional<OperationRecord.Subject> subject(String id) {
    return find(id).map(Operation::record).or(() -> remote(id)).map(OperationRecord::subject);
  }

  /** Returns the operations of this replica, the youngest first. */
  public List<Operation> all() {
    return new ArrayList<>(operations.values()).reversed();
  }
}
