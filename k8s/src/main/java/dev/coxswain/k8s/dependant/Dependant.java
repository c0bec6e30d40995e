// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one object, or of many of one kind, that a controller makes for each primary
 * object.
 *
 * <p>The functions depend on the primary object alone: they are called in each attempt, several
 * times, and send nothing. What they throw ends the attempt.
 *
 * <p>Thread rule: immutable; the functions are called by several reconcilers at once.
 *
 * @param <P> the class of the primary objects
 * @param <D> the class of the dependants
 */
public final class Dependant<P extends KubernetesObject, D extends KubernetesObject> {

  /** The most objects of {@link #ofMany} for one primary object: each attempt compares them all. */
  public static final int MAX_OBJECTS = 1_000;

  /** With the suffix of conditions it is the type of one. */
  private static final Pattern NAME = Pattern.compile("[A-Z][A-Za-z0-9]{0,62}");

  private final Class<D> type;
  private final String name;
  private final boolean many;
  private final Function<P, List<D>> desired;
  private final Function<P, Request> key;
  private final Predicate<D> ready;
  private final List<Dependant<P, ?>> after;

  /** Those after which this is, directly or not, in their order. */
  private final Set<Dependant<P, ?>> needed = new LinkedHashSet<>();

  private Dependant(
      Class<D> type,
      String name,
      boolean many,
      Function<P, List<D>> desired,
      Function<P, Request> key,
      Predicate<D> ready,
      List<Dependant<P, ?>> after) {
    this.type = Objects.requireNonNull(type, "type");
    this.name = name;
    this.many = many;
    this.desired = Objects.requireNonNull(desired, "desired");
    this.key = Objects.requireNonNull(key, "key");
    this.ready = Objects.requireNonNull(ready, "ready");
    this.after = after;
    after.forEach(one -> {
      needed.addAll(one.needed);
      needed.add(one);
    });
  }

  /**
   * Declares a dependant with the namespace and the name of its primary object. It is ready when it
   * exists.
   *
   * @param type a model of the official client, or a class with a {@link
   *     dev.coxswain.k8s.resource.KubernetesResource} annotation
   * @param desired returns a new object with the fields to own, without status and without those
   *     that others set, such as replicas with an autoscaler; empty for no dependant: an existing one
   *     is deleted. Name, namespace and owner reference are filled in
   */
  public static <P extends KubernetesObject, D extends KubernetesObject> Dependant<P, D> of(
      Class<D> type, Function<P, Optional<D>> desired) {
    Objects.requireNonNull(desired, "desired");
    return new Dependant<>(
        type,
        "",
        false,
        primary -> desired.apply(primary).map(List::of).orElse(List.of()),
        Dependant::sameKey,
        _ -> true,
        List.of());
  }

  /**
   * Declares as many objects of a kind as a function returns. It is ready when all exist, also when
   * there are none. An object that is not in the list any more is deleted.
   *
   * <p>The objects have the annotation {@code coxswain.dev/dependant} with the names of controller
   * and dependant, by which they are found again: one of another {@link #as name} is not deleted.
   *
   * @param type as for {@link #of}
   * @param desired returns at most {@link #MAX_OBJECTS} objects as for {@link #of}, each with a name
   *     that no other primary object uses; for a cluster-scoped primary object also with a namespace
   */
  public static <P extends KubernetesObject, D extends KubernetesObject> Dependant<P, D> ofMany(
      Class<D> type, Function<P, List<D>> desired) {
    return new Dependant<>(type, "", true, desired, Dependant::sameKey, _ -> true, List.of());
  }

  /** Returns the same with other names, in the namespace of the primary object. */
  public Dependant<P, D> named(Function<P, String> names) {
    return at(primary -> new Request(sameKey(primary).namespace(), names.apply(primary)));
  }

  /**
   * Returns the same with other keys. They must not change during the life of a primary object: what
   * had another key before is not deleted.
   *
   * @throws IllegalStateException for {@link #ofMany}, whose objects have names
   */
  public Dependant<P, D> at(Function<P, Request> keys) {
    if (many) {
      throw new IllegalStateException("the objects of ofMany(...) have names: set these");
    }
    return new Dependant<>(type, name, false, desired, keys, ready, after);
  }

  /** Returns the same with a condition on each existing object, such as on its status. */
  public Dependant<P, D> readyWhen(Predicate<D> condition) {
    return new Dependant<>(type, name, many, desired, key, condition, after);
  }

  /**
   * Returns the same with a name, for conditions and messages: {@code Database} leads to the
   * condition {@code DatabaseReady}. It is the kind at first; two of a kind need names.
   *
   * @throws IllegalArgumentException when it is not in upper camel case, or longer than 63 characters
   */
  public Dependant<P, D> as(String value) {
    if (!NAME.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "the name of a dependant is in upper camel case and has at most 63 characters, found \""
              + value
              + "\"");
    }
    return new Dependant<>(type, value, many, desired, key, ready, after);
  }

  /**
   * Returns the same with others that it needs: it is created and updated while all of them are
   * ready. Without one of them it is not desired either. {@link Dependants} deletes it before them; with
   * the primary object Kubernetes does so in no order, unless a finalizer calls {@link
   * Dependants#delete}.
   *
   * @param others the constants that are passed to {@link Dependants#of}, added to those before
   */
  @SafeVarargs
  public final Dependant<P, D> after(Dependant<P, ?>... others) {
    Set<Dependant<P, ?>> all = new LinkedHashSet<>(after);
    for (Dependant<P, ?> other : others) {
      all.add(other);
    }
    return new Dependant<>(type, name, many, desired, key, ready, List.copyOf(all));
  }

  Class<D> type() {
    return type;
  }

  /** Empty for that of its kind. */
  String name() {
    return name;
  }

  boolean isMany() {
    return many;
  }

  List<Dependant<P, ?>> after() {
    return after;
  }

  /** Returns whether this is after another one, directly or not. */
  boolean needs(Dependant<?, ?> other) {
    return needed.contains(other);
  }

  /** Returns the first one that is not desired, of those that this needs and itself. */
  Optional<Dependant<P, ?>> undesired(P primary) {
    return Stream.concat(needed.stream(), Stream.of(this))
        .filter(one -> !one.many && one.desired.apply(primary).isEmpty())
        .findFirst();
  }

  /**
   * Returns the desired objects; empty when none is desired, or one that this needs is not.
   *
   * @throws IllegalArgumentException when there are too many, or two have one key
   */
  Optional<Map<Request, D>> desired(P primary) {
    if (undesired(primary).isPresent()) {
      return Optional.empty();
    }
    List<D> objects = desired.apply(primary);
    if (objects.size() > MAX_OBJECTS) {
      throw new IllegalArgumentException(
          objects.size()
              + " objects of the class "
              + type.getSimpleName()
              + " are desired for "
              + sameKey(primary)
              + ": at most "
              + MAX_OBJECTS
              + " are possible");
    }
    Map<Request, D> byKey = new LinkedHashMap<>();
    for (D object : objects) {
      Request at = many ? ownKey(primary, object) : key.apply(primary);
      if (byKey.put(at, object) != null) {
        throw new IllegalArgumentException(
            "two desired objects of the class " + type.getSimpleName() + " have the key " + at);
      }
    }
    return Optional.of(Collections.unmodifiableMap(byKey));
  }

  /** The namespace of the primary object holds where there is one. */
  private Request ownKey(P primary, D object) {
    @Nullable V1ObjectMeta metadata = object.getMetadata();
    if (metadata == null || metadata.getName() == null) {
      throw new IllegalArgumentException(
          "an object of the class " + type.getSimpleName() + " of ofMany(...) has no name");
    }
    String namespace = sameKey(primary).namespace();
    @Nullable String own = metadata.getNamespace();
    return new Request(namespace.isEmpty() && own != null ? own : namespace, metadata.getName());
  }

  /** The key of a single one. */
  Request key(P primary) {
    return key.apply(primary);
  }

  /** Returns the keys of desired objects; of a single one, whether it is desired or not. */
  Set<Request> keys(P primary) {
    return many ? desired(primary).orElse(Map.of()).keySet() : Set.of(key(primary));
  }

  boolean isReady(D observed) {
    return ready.test(observed);
  }

  static Request sameKey(KubernetesObject primary) {
    @Nullable String namespace = primary.getMetadata().getNamespace();
    return new Request(
        namespace == null ? "" : namespace,
        Objects.requireNonNull(primary.getMetadata().getName(), "the primary object has no name"));
  }
}
