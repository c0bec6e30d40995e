// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.RequestSink;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The events of one handler, checked on receipt: an object is added, perhaps updated, and deleted
 * before another one of its name is added.
 *
 * <p>Thread rule: any thread.
 */
final class Ledger {

  private static final int MOST_PROBLEMS = 20;

  private final String name;
  private final Map<Request, String> known = new HashMap<>();
  private final Map<String, Integer> adds = new HashMap<>();
  private final Map<String, Integer> deletes = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private long events;

  Ledger(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  /** Returns a handler that records its events and calls {@code handler}. */
  <T extends KubernetesObject> EventHandler<T> around(EventHandler<T> handler) {
    return new EventHandler<>() {
      @Override
      public void handle(ObjectEvent<T> event, RequestSink requests) {
        note(event);
        handler.handle(event, requests);
      }

      @Override
      public boolean namesObjects() {
        return handler.namesObjects();
      }
    };
  }

  private synchronized void note(ObjectEvent<?> event) {
    events++;
    String uid = Objects.requireNonNull(event.object().getMetadata().getUid());
    String before = known.get(event.key());
    switch (event.kind()) {
      case ADDED -> {
        adds.merge(uid, 1, Integer::sum);
        expect(before == null, event, uid, before);
        known.put(event.key(), uid);
      }
      case UPDATED -> expect(uid.equals(before), event, uid, before);
      case DELETED -> {
        deletes.merge(uid, 1, Integer::sum);
        expect(uid.equals(before), event, uid, before);
        known.remove(event.key());
      }
    }
  }

  private void expect(boolean lawful, ObjectEvent<?> event, String uid, @Nullable String before) {
    if (!lawful && problems.size() < MOST_PROBLEMS) {
      problems.add(name + " was told " + event + " of uid " + uid + " but knew " + before);
    }
  }

  /** Returns the events that broke the rules. */
  synchronized List<String> problems() {
    return List.copyOf(problems);
  }

  /** Returns the uids that it must take for alive, by key. */
  synchronized Map<Request, String> known() {
    return Map.copyOf(known);
  }

  /** Returns how often an object with this uid was added. */
  synchronized int adds(String uid) {
    return adds.getOrDefault(uid, 0);
  }

  /** Returns how often an object with this uid was deleted. */
  synchronized int deletes(String uid) {
    return deletes.getOrDefault(uid, 0);
  }

  /** Returns the number of events. */
  synchronized long events() {
    return events;
  }

  /** Returns the number of deletions. */
  synchronized int allDeletes() {
    return deletes.values().stream().mapToInt(Integer::intValue).sum();
  }
}
