// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The namespaces of an API server, their objects, and every change of both. */
public final class SimulatedObjects {

  private static final int NAMESPACES = 24;
  private static final int NAMES = 3;

  private final List<Change> history = new ArrayList<>();
  private final Map<String, Map<Request, Long>> present = new TreeMap<>();
  private final Map<Request, TreeMap<Long, Change>> changes = new HashMap<>();
  private boolean ended;

  /**
   * One change.
   *
   * @param version its number, from 1
   * @param name empty for the namespace itself
   * @param exists false for a deletion
   */
  record Change(long version, String namespace, String name, boolean exists) {
    boolean isOfNamespace() {
      return name.isEmpty();
    }

    Request key() {
      return Request.of(namespace, name);
    }
  }

  /** Nothing changes any more. */
  public void end() {
    ended = true;
  }

  public boolean isEnded() {
    return ended;
  }

  /** Changes something. A namespace comes with its first object, or empty; its objects go before it. */
  public void step(Random random) {
    String namespace = "team-" + random.nextInt(NAMESPACES);
    int what = random.nextInt(10);
    Map<Request, Long> objects = present.get(namespace);
    if (objects == null) {
      present.put(namespace, new TreeMap<>(Comparator.comparing(Request::toString)));
      change(namespace, "", true);
      if (what < 5) {
        put(namespace, random);
      }
    } else if (what == 0) {
      List.copyOf(objects.keySet()).forEach(this::delete);
      present.remove(namespace);
      change(namespace, "", false);
    } else if (what < 3 && !objects.isEmpty()) {
      delete(List.copyOf(objects.keySet()).get(random.nextInt(objects.size())));
    } else {
      put(namespace, random);
    }
  }

  private void put(String namespace, Random random) {
    Change change = change(namespace, "x" + random.nextInt(NAMES), true);
    objects(namespace).put(change.key(), change.version());
  }

  private void delete(Request object) {
    change(object.namespace(), object.name(), false);
    objects(object.namespace()).remove(object);
  }

  private Change change(String namespace, String name, boolean exists) {
    Change change = new Change(version() + 1, namespace, name, exists);
    history.add(change);
    if (!change.isOfNamespace()) {
      changes.computeIfAbsent(change.key(), _ -> new TreeMap<>()).put(change.version(), change);
    }
    return change;
  }

  long version() {
    return history.size();
  }

  /** Returns the changes after one version, up to another one. */
  List<Change> changes(long after, long upTo) {
    return history.subList((int) after, (int) upTo);
  }

  Set<String> namespaces() {
    return new TreeSet<>(present.keySet());
  }

  /** Returns the objects of a namespace with their versions. */
  Map<Request, Long> objects(String namespace) {
    return present.getOrDefault(namespace, Map.of());
  }

  /** Returns all objects that ever were. */
  Set<Request> all() {
    return changes.keySet();
  }

  /** Returns the last change of an object up to a version; null for none. */
  @Nullable Change at(Request object, long version) {
    Map.Entry<Long, Change> last =
        changes.getOrDefault(object, new TreeMap<>()).floorEntry(version);
    return last == null ? null : last.getValue();
  }

  /** Returns whether an object was deleted after a version. */
  boolean isDeletedAfter(Request object, long version) {
    return changes.getOrDefault(object, new TreeMap<>()).tailMap(version, false).values().stream()
        .anyMatch(change -> !change.exists());
  }
}
