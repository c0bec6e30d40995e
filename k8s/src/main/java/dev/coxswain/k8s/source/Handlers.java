// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The common handlers. Owner and mapping handlers also process the old state of an updated object,
 * so that an object whose owner changes leads to requests for both.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class Handlers {

  private Handlers() {}

  /** Reconciles the object itself. */
  public static <T extends KubernetesObject> EventHandler<T> object() {
    return new EventHandler<>() {
      @Override
      public void handle(ObjectEvent<T> event, RequestSink requests) {
        requests.accept(event.key());
      }

      @Override
      public Optional<ObjectKeys> keys() {
        return Optional.of(ObjectKeys.SELF);
      }

      @Override
      public boolean namesObjects() {
        return true;
      }
    };
  }

  /**
   * Reconciles the object that controls the watched one by an owner reference, when it is of the
   * given resource.
   */
  public static <T extends KubernetesObject> EventHandler<T> owner(ResourceType<?> owner) {
    return owners(owner, true);
  }

  /** As {@link #owner(ResourceType)}, with the resource of a class. */
  public static <T extends KubernetesObject> EventHandler<T> owner(
      Class<? extends KubernetesObject> owner) {
    return owner(ResourceType.of(owner));
  }

  /** Reconciles every object of the given resource that owns the watched one. */
  public static <T extends KubernetesObject> EventHandler<T> anyOwner(ResourceType<?> owner) {
    return owners(owner, false);
  }

  /**
   * Reconciles the requests that {@code mapping} returns for the watched object. All objects are
   * kept for it, also in a sharded controller; see {@link #mapByMetadata}. It may block, on
   * reading another cache for instance, but delays the events of this source meanwhile.
   */
  public static <T extends KubernetesObject> EventHandler<T> map(
      Function<T, ? extends Collection<Request>> mapping) {
    return (event, requests) ->
        each(
            () -> mapping.apply(event.object()).forEach(requests),
            () -> event.before().ifPresent(before -> mapping.apply(before).forEach(requests)));
  }

  /**
   * As {@link #map}, for a mapping that reads nothing but the metadata of the object. So a sharded
   * controller keeps only the objects that map to its own requests. Pass the same function to each
   * source of a resource, not a new one each time; a {@link KindSelection#transformedBy transform}
   * must not change the metadata that it reads.
   */
  public static <T extends KubernetesObject> EventHandler<T> mapByMetadata(
      Function<V1ObjectMeta, ? extends Collection<Request>> mapping) {
    return new StaticHandler<>(new MetadataKeys(mapping));
  }

  /**
   * As {@link #mapByMetadata}, for a mapping that returns only requests in the namespace of the object. With slots by
   * namespace a replica then reads the namespaces of its slots instead of everything. Another namespace is reported as
   * a failure of the mapping.
   */
  public static <T extends KubernetesObject> EventHandler<T> mapInNamespace(
      Function<V1ObjectMeta, ? extends Collection<Request>> mapping) {
    return new StaticHandler<>(new NamespaceKeys(mapping));
  }

  /** Handles only objects that are new, those of an initial list included. */
  public static <T extends KubernetesObject> EventHandler<T> onCreate(EventHandler<T> handler) {
    return onlyFor(ObjectEvent.Kind.ADDED, handler);
  }

  /** Handles only changes of objects, resyncs included. */
  public static <T extends KubernetesObject> EventHandler<T> onUpdate(EventHandler<T> handler) {
    return onlyFor(ObjectEvent.Kind.UPDATED, handler);
  }

  /** Handles only objects that are gone. */
  public static <T extends KubernetesObject> EventHandler<T> onDelete(EventHandler<T> handler) {
    return onlyFor(ObjectEvent.Kind.DELETED, handler);
  }

  private static <T extends KubernetesObject> EventHandler<T> onlyFor(
      ObjectEvent.Kind kind, EventHandler<T> handler) {
    return new Adapted<>(
        handler,
        (event, requests) -> {
          if (event.kind() == kind) {
            handler.handle(event, requests);
          }
        });
  }

  /** Handles each event with both handlers, the first one first. */
  public static <T extends KubernetesObject> EventHandler<T> both(
      EventHandler<T> first, EventHandler<T> second) {
    return new Both<>(first, second);
  }

  /**
   * Delays the requests of a handler, except those for which it sets a delay itself. For changes
   * that come in bursts: further events until then cause no further attempt.
   */
  public static <T extends KubernetesObject> EventHandler<T> after(
      Duration delay, EventHandler<T> handler) {
    return new Adapted<>(
        handler,
        (event, requests) ->
            handler.handle(event, new Preset(requests, delay, requests.priority())));
  }

  /**
   * Gives the requests of a handler a priority instead of that of the event, except those for which
   * it sets one itself.
   *
   * @param priority higher first, from -128 to 127
   */
  public static <T extends KubernetesObject> EventHandler<T> withPriority(
      int priority, EventHandler<T> handler) {
    return new Adapted<>(
        handler,
        (event, requests) ->
            handler.handle(event, new Preset(requests, requests.delay(), priority)));
  }

  /**
   * Lets the requests of a handler name a cluster, so that objects of several clusters are items of
   * their own: {@code eu/web} instead of {@code web}. For sources of that cluster.
   *
   * @param cluster the name of the cluster, not empty
   */
  public static <T extends KubernetesObject> EventHandler<T> inCluster(
      String cluster, EventHandler<T> handler) {
    return new ClusterHandler<>(cluster, handler);
  }

  private static <T extends KubernetesObject> EventHandler<T> owners(
      ResourceType<?> owner, boolean controllingOnly) {
    return new StaticHandler<>(
        new OwnerKeys(owner.kind(), owner.group(), owner.namespaced(), controllingOnly));
  }

  /**
   * Runs both, the second one also when the first one throws: a function that fails for the new
   * state of an object must not cost the requests of its former state. Then throws the first
   * failure, but a transient one before others: the event is delivered again after it.
   */
  private static void each(Runnable first, Runnable second) {
    try {
      first.run();
    } catch (Throwable failure) {
      try {
        second.run();
      } catch (Throwable further) {
        if (UserCode.transientCause(failure) == null && UserCode.transientCause(further) != null) {
          throw further;
        }
        if (!further.equals(failure)) {
          failure.addSuppressed(further);
        }
      }
      throw failure;
    }
    second.run();
  }

  /** Handles the states before and after an event. */
  private record StaticHandler<T extends KubernetesObject>(ObjectKeys of)
      implements EventHandler<T> {

    @Override
    public void handle(ObjectEvent<T> event, RequestSink requests) {
      each(
          () -> of.of(event.key(), event.metadata(), requests),
          () -> event.metadataBefore().ifPresent(before -> of.of(event.key(), before, requests)));
    }

    @Override
    public Optional<ObjectKeys> keys() {
      return Optional.of(of);
    }
  }

  /** Calls a handler in another way: at some events only, or with another sink. */
  private record Adapted<T extends KubernetesObject>(EventHandler<T> of, EventHandler<T> call)
      implements EventHandler<T> {

    @Override
    public void handle(ObjectEvent<T> event, RequestSink requests) {
      call.handle(event, requests);
    }

    @Override
    public Optional<ObjectKeys> keys() {
      return of.keys();
    }

    @Override
    public boolean namesObjects() {
      return of.namesObjects();
    }
  }

  private record Both<T extends KubernetesObject>(EventHandler<T> first, EventHandler<T> second)
      implements EventHandler<T> {

    @Override
    public void handle(ObjectEvent<T> event, RequestSink requests) {
      each(() -> first.handle(event, requests), () -> second.handle(event, requests));
    }

    @Override
    public Optional<ObjectKeys> keys() {
      return first
          .keys()
          .flatMap(one -> second.keys().map(two -> one.equals(two) ? one : new Union(one, two)));
    }

    @Override
    public boolean namesObjects() {
      return first.namesObjects() && second.namesObjects();
    }
  }

  /** The requests of two mappings. */
  private record Union(ObjectKeys one, ObjectKeys two) implements ObjectKeys {

    @Override
    public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
      each(() -> one.of(object, metadata, requests), () -> two.of(object, metadata, requests));
    }

    @Override
    public boolean staysInNamespace() {
      return one.staysInNamespace() && two.staysInNamespace();
    }

    @Override
    public Set<String> members() {
      if (one.members().isEmpty() || two.members().isEmpty()) {
        return Set.of();
      }
      return Stream.of(one, two)
          .flatMap(each -> each.members().stream())
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  /** A sink with another delay and priority for requests without their own. */
  private record Preset(RequestSink to, Duration delay, int priority) implements RequestSink {

    @Override
    public void add(Request request, Duration delay, int priority) {
      to.add(request, delay, priority);
    }
  }

  /** The requests that a function of the metadata returns. */
  private record MetadataKeys(Function<V1ObjectMeta, ? extends Collection<Request>> mapping)
      implements ObjectKeys {

    @Override
    public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
      mapping.apply(Json.decode(metadata, V1ObjectMeta.class)).forEach(requests);
    }
  }

  /** The requests that a function of the metadata returns, all in the namespace of the object. */
  private record NamespaceKeys(Function<V1ObjectMeta, ? extends Collection<Request>> mapping)
      implements ObjectKeys {

    @Override
    public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
      Request foreign = null;
      for (Request each : mapping.apply(Json.decode(metadata, V1ObjectMeta.class))) {
        if (each.namespace().equals(object.namespace())) {
          requests.accept(each);
        } else {
          foreign = each;
        }
      }
      if (foreign != null) {
        throw new IllegalStateException(
            "mapInNamespace of "
                + object
                + " returned "
                + foreign
                + ", which is in another namespace");
      }
    }

    @Override
    public boolean staysInNamespace() {
      return true;
    }
  }

  /**
   * The owners of an object, by its owner references.
   *
   * @param kind the kind of the owners
   * @param group their API group; the version of a reference may differ from the watched one
   * @param namespaced whether they are in a namespace
   * @param controllingOnly whether other owners than the controlling one are left out
   */
  private record OwnerKeys(String kind, String group, boolean namespaced, boolean controllingOnly)
      implements ObjectKeys {

    private static final String REFERENCES = "ownerReferences";
    private static final Set<String> MEMBERS = Set.of(REFERENCES);

    @Override
    public Set<String> members() {
      return MEMBERS;
    }

    @Override
    public void of(Request object, JsonObject metadata, Consumer<Request> requests) {
      if (!(metadata.get(REFERENCES) instanceof JsonArray references)) {
        return;
      }
      for (JsonElement each : references) {
        if (each instanceof JsonObject reference) {
          JsonElement controller = reference.get("controller");
          add(
              object.namespace(),
              Json.text(reference, "kind"),
              Json.text(reference, "apiVersion"),
              controller != null && controller.isJsonPrimitive() && controller.getAsBoolean(),
              Json.text(reference, "name"),
              requests);
        }
      }
    }

    private void add(
        String namespace,
        String ownerKind,
        String apiVersion,
        boolean controls,
        String name,
        Consumer<Request> requests) {
      if (ownerKind.equals(kind)
          && group(apiVersion).equals(group)
          && (!controllingOnly || controls)) {
        requests.accept(new Request(namespaced ? namespace : "", name));
      }
    }

    @Override
    public boolean staysInNamespace() {
      return namespaced;
    }

    private static String group(String apiVersion) {
      int slash = apiVersion.indexOf('/');
      return slash < 0 ? "" : apiVersion.substring(0, slash);
    }
  }
}
