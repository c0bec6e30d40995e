// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.change.ObjectChanges;
import dev.coxswain.k8s.internal.change.RecentWriters;
import dev.coxswain.k8s.source.RequestAnnotations.RequestedActions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.Origin;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Maps the events of a source to requests.
 *
 * <p>Thread rule: as {@link EventHandler}.
 *
 * @param failed counts failures of user code of the controller
 * @param filterFailures counts the events that passed because the filter threw
 * @param handlerFailures counts the events that were skipped because the handler threw
 * @param writers the writers of versions that events report
 * @param of the kind of the objects and their cluster, for display
 */
record SinkListener<T extends KubernetesObject>(
    EventSink<Request> sink,
    EventPredicate<T> filter,
    EventHandler<T> handler,
    UserCode userCode,
    Runnable failed,
    AtomicLong filterFailures,
    AtomicLong handlerFailures,
    RecentWriters writers,
    CacheKey<T> of)
    implements ObjectListener<T> {
  private static final Set<Origin.Change> CREATED = Set.of(Origin.Change.CREATED);
  private static final Set<Origin.Change> DELETED = Set.of(Origin.Change.DELETED);

  @Override
  public boolean isReady() {
    return sink.pending() < EventSink.PENDING_HIGH_WATER;
  }

  @Override
  public void onEvent(ObjectEvent<T> event) {
    RequestedActions requestedActions = requestedActions(event);
    boolean passes = passes(event);
    if (!passes && requestedActions.isNone()) {
      return;
    }
    Collected collected = new Collected(event.trigger());
    Throwable passing = handle(event, collected);
    Origin origin = passes && !collected.requests.isEmpty() ? originOf(event) : Origin.UNKNOWN;
    collected.requests.forEach((request, due) -> {
      if (requestedActions.forget()) {
        sink.forget(request);
      }
      if (requestedActions.reconcile()) {
        sink.add(request, EventSink.PRIORITY_NORMAL, Trigger.OPERATOR);
      } else if (passes && due.delay().isPositive()) {
        sink.addAfter(request, due.delay(), due.priority(), event.trigger());
      } else if (passes) {
        sink.add(request, due.priority(), event.trigger(), origin);
      }
    });
    if (passing != null) {
      throw new IllegalStateException(passing); // the cache delivers the event again
    }
  }

  private Origin originOf(ObjectEvent<T> event) {
    if (event.trigger() != Trigger.EVENT) {
      return Origin.UNKNOWN; // nothing has changed, as far as this replica has observed
    }
    Request key = event.key();
    RecentWriters.Writer writer = writers.of(key, event.resourceVersion());
    return new Origin(
        of.type().kind(),
        key.namespace(),
        of.cluster().isEmpty() ? key.name() : key.inCluster(of.cluster()).name(),
        changes(event),
        writer.controller(),
        writer.traceParent());
  }

  private static Set<Origin.Change> changes(ObjectEvent<?> event) {
    return switch (event.kind()) {
      case ADDED -> CREATED;
      case DELETED -> DELETED;
      case UPDATED ->
          ObjectChanges.of(
              event.changedMetadata(ObjectChanges.COMPARED), event.generationChanged());
    };
  }

  private RequestedActions requestedActions(ObjectEvent<T> event) {
    try {
      return RequestAnnotations.in(event);
    } catch (Throwable e) {
      failed("annotations not readable, ignoring them", event, e);
      return RequestedActions.NONE;
    }
  }

  private boolean passes(ObjectEvent<T> event) {
    try {
      return filter.test(event);
    } catch (Throwable e) {
      filterFailures.incrementAndGet();
      failed("predicate failed, passing the event", event, e);
      return true;
    } finally {
      userCode.clearInterrupt("predicate", event.key());
    }
  }

  /**
   * Collects the requests of the handler, also those before it throws.
   *
   * @return the failure for which the event must be delivered again, or null
   */
  private @Nullable Throwable handle(ObjectEvent<T> event, RequestSink requests) {
    try {
      handler.handle(event, requests);
    } catch (Throwable e) {
      Throwable passing = UserCode.transientCause(e);
      if (passing != null) {
        return passing;
      }
      handlerFailures.incrementAndGet();
      failed("handler failed, skipping the rest of the event", event, e);
    } finally {
      userCode.clearInterrupt("handler", event.key());
    }
    return null;
  }

  private void failed(String message, ObjectEvent<T> event, Throwable cause) {
    userCode.failed(message, event.key(), cause);
    failed.run();
  }

  /** When a request of an event is due, and its priority. */
  private record Due(Duration delay, int priority) {

    Due and(Due other) {
      return new Due(
          delay.compareTo(other.delay) < 0 ? delay : other.delay,
          Math.max(priority, other.priority));
    }
  }

  /** The requests of one event, in the order of the handler. */
  private static final class Collected implements RequestSink {
    private final Map<Request, Due> requests = new LinkedHashMap<>();
    private final int priority;

    Collected(Trigger trigger) {
      priority = trigger == Trigger.EVENT ? EventSink.PRIORITY_NORMAL : EventSink.PRIORITY_LOW;
    }

    @Override
    public int priority() {
      return priority;
    }

    @Override
    public void add(Request request, Duration delay, int priority) {
      requests.merge(
          Objects.requireNonNull(request, "request"),
          new Due(Objects.requireNonNull(delay, "delay"), priority),
          Due::and);
    }
  }
}
