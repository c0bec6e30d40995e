// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.EventPredicate;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSelection;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a controller of one kind of objects and of those that they own.
 *
 * <pre>{@code
 * var web = k8s.controller("web").forKind(Website.class).owns(V1ConfigMap.class);
 * return web.reconciles(new WebReconciler(web.source(Website.class)));
 * }</pre>
 *
 * <p>It puts the sources of {@link Kubernetes#kind} into a {@link Controller}; what needs more, such
 * as selectors or reads of own writes, is passed as a {@link KindSelection}.
 *
 * <p>Thread rule: one thread. Nothing can be added once the controller is built, except by its
 * {@link #sourceRegistry}.
 */
public final class ControllerBuilder {

  private final Kubernetes kubernetes;
  private final String name;
  private final Controller.Builder<Request> controller;
  private final Map<Class<?>, List<KindSource<?>>> sources = new HashMap<>();
  private final Map<Class<?>, List<KindSource<?>>> owned = new HashMap<>();
  private final List<EventPredicate<KubernetesObject>> filters = new ArrayList<>();
  private @Nullable ResourceType<?> reconciled;
  private boolean built;

  ControllerBuilder(Kubernetes kubernetes, String name) {
    this.kubernetes = kubernetes;
    this.name = name;
    this.controller = Controller.named(name);
  }

  /** Returns the name of the controller. */
  public String name() {
    return name;
  }

  /** Returns the access to Kubernetes that its sources use. */
  public Kubernetes kubernetes() {
    return kubernetes;
  }

  /**
   * Returns the resource whose objects are reconciled.
   *
   * @throws IllegalStateException before {@link #forKind}, which names it
   */
  public ResourceType<?> reconciled() {
    if (reconciled == null) {
      throw new IllegalStateException("name the owner with forKind(...) before owns(...)");
    }
    return reconciled;
  }

  /** Reconciles the objects of a class, each at its own events. */
  public <T extends KubernetesObject> ControllerBuilder forKind(Class<T> type) {
    return forKind(kubernetes.kind(type));
  }

  /**
   * Reconciles selected objects, each at its own events.
   *
   * @throws IllegalStateException when a kind has been named before
   */
  public <T extends KubernetesObject> ControllerBuilder forKind(KindSelection<T> selection) {
    if (reconciled != null) {
      throw new IllegalStateException(
          "the controller reconciles "
              + reconciled
              + " already: add further kinds with owns(...) or watches(...)");
    }
    reconciled = selection.type();
    return watches(selection.handledBy(Handlers.object()));
  }

  /** Reconciles the owner at the events of objects of a class that it controls. */
  public <T extends KubernetesObject> ControllerBuilder owns(Class<T> type) {
    return owns(kubernetes.kind(type));
  }

  /**
   * Reconciles the owner at the events of selected objects that it controls by an owner reference.
   *
   * @throws IllegalStateException before {@link #forKind}, which names the owner
   */
  public <T extends KubernetesObject> ControllerBuilder owns(KindSelection<T> selection) {
    KindSource<T> source = add(selection.handledBy(Handlers.owner(reconciled())));
    owned.computeIfAbsent(selection.type().type(), _ -> new ArrayList<>()).add(source);
    return this;
  }

  /** Reconciles what a handler returns at the events of all objects of a class. */
  public <T extends KubernetesObject> ControllerBuilder watches(
      Class<T> type, EventHandler<T> handler) {
    return watches(kubernetes.kind(type).handledBy(handler));
  }

  /** Watches a selection, with the handler that it has. */
  public <T extends KubernetesObject> ControllerBuilder watches(KindSelection<T> selection) {
    add(selection);
    return this;
  }

  private <T extends KubernetesObject> KindSource<T> add(KindSelection<T> selection) {
    KindSource<T> source = selection.filter(event -> passes(event.ofAny())).toSource();
    watches(source);
    sources.computeIfAbsent(selection.type().type(), _ -> new ArrayList<>()).add(source);
    return source;
  }

  /** Adds a source as it is; the filters of this controller do not apply to it. */
  public ControllerBuilder watches(EventSource<Request> source) {
    requireOpen();
    controller.watches(source);
    return this;
  }

  /**
   * Stops events that {@code predicate} does not pass, of all kinds that this controller watches,
   * also those that are added later. Several filters must all pass.
   */
  public ControllerBuilder filter(EventPredicate<KubernetesObject> predicate) {
    requireOpen();
    filters.add(Objects.requireNonNull(predicate, "predicate"));
    return this;
  }

  /** The filters are complete before the first source starts. */
  private boolean passes(ObjectEvent<KubernetesObject> event) {
    for (EventPredicate<KubernetesObject> filter : filters) {
      if (!filter.test(event)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns what adds sources while the controller runs, for its reconciler. The filters of this
   * controller do not apply to them.
   */
  public SourceRegistry<Request> sourceRegistry() {
    return controller.sourceRegistry();
  }

  /** Changes the options, which are {@link ControllerOptions#DEFAULT} at first. */
  public ControllerBuilder options(UnaryOperator<ControllerOptions> change) {
    requireOpen();
    controller.options(change);
    return this;
  }

  /** Returns the sources of a class that {@link #owns} has added, in that order. */
  @SuppressWarnings("unchecked") // stored under its class
  public <T extends KubernetesObject> List<KindSource<T>> owned(Class<T> type) {
    return owned.getOrDefault(type, List.of()).stream().map(one -> (KindSource<T>) one).toList();
  }

  /**
   * Returns the source of a class that has been added by a class or a selection, for reads from its
   * cache while the controller runs.
   *
   * @throws IllegalStateException when there is none, or there are several
   */
  @SuppressWarnings("unchecked") // stored under its class
  public <T extends KubernetesObject> KindSource<T> source(Class<T> type) {
    List<KindSource<?>> found = sources.getOrDefault(type, List.of());
    if (found.size() != 1) {
      throw new IllegalStateException(
          found.isEmpty()
              ? "the controller does not watch "
                  + type.getSimpleName()
                  + ": add it with forKind(...), owns(...) or watches(...)"
              : "the controller has "
                  + found.size()
                  + " sources of "
                  + type.getSimpleName()
                  + ": make each with toSource() and add it with watches(...)");
    }
    return (KindSource<T>) found.getFirst();
  }

  /** Builds the controller with a reconciler in plain blocking Java. */
  public Controller<Request> reconciles(Reconciler<Request> reconciler) {
    requireOpen();
    built = true;
    return controller.reconciles(reconciler);
  }

  /** Builds the controller with a reconciler that never blocks. */
  public Controller<Request> reconcilesAsync(AsyncReconciler<Request> reconciler) {
    requireOpen();
    built = true;
    return controller.reconcilesAsync(reconciler);
  }

  private void requireOpen() {
    if (built) {
      throw new IllegalStateException("the controller has been built already");
    }
  }
}
