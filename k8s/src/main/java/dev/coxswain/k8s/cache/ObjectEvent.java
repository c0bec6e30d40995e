// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A difference between the last delivered state of an object and the present one. Several changes
 * of one object may be one event.
 *
 * <p>Objects are decoded on access and are copies: changing one does not change the cache.
 *
 * <p>Thread rule: confined to the thread that delivers it.
 *
 * @param <T> the class of the objects
 */
public final class ObjectEvent<T extends KubernetesObject> {

  /** The kinds of events. */
  public enum Kind {
    /** The object is new to the listener. */
    ADDED,
    /** The object has changed, or is delivered again without a change (resync). */
    UPDATED,
    /**
     * The object is gone; its last known state is delivered. In a filtered cache also when it maps
     * to no kept slot any more, as for an object that leaves a selector; its last state that did is
     * delivered.
     */
    DELETED
  }

  private final Kind kind;
  private final Request key;
  private final @Nullable Entry before;
  private final Entry now;
  private final Trigger trigger;
  private final Class<T> type;
  private @Nullable T decoded;
  private @Nullable T decodedBefore;

  /**
   * Creates an event of the entries of an informer. Tests use {@link #added}, {@link #updated},
   * {@link #deleted} and {@link #resynced}.
   */
  public ObjectEvent(
      Kind kind, Request key, @Nullable Entry before, Entry now, Trigger trigger, Class<T> type) {
    this.kind = kind;
    this.key = key;
    this.before = before;
    this.now = now;
    this.trigger = trigger;
    this.type = type;
  }

  /**
   * Returns the event of a new object, for tests of handlers and predicates.
   *
   * @param object with a name
   */
  public static <T extends KubernetesObject> ObjectEvent<T> added(T object) {
    return of(Kind.ADDED, null, object, Trigger.EVENT);
  }

  /** Returns the event of a change, for tests. */
  public static <T extends KubernetesObject> ObjectEvent<T> updated(T before, T now) {
    return of(Kind.UPDATED, before, now, Trigger.EVENT);
  }

  /** Returns the event of the end of an object, for tests. */
  public static <T extends KubernetesObject> ObjectEvent<T> deleted(T object) {
    return of(Kind.DELETED, null, object, Trigger.EVENT);
  }

  /** Returns the event of a resync of an object, for tests. */
  public static <T extends KubernetesObject> ObjectEvent<T> resynced(T object) {
    return of(Kind.UPDATED, object, object, Trigger.RESYNC);
  }

  @SuppressWarnings("unchecked") // the class of a T
  private static <T extends KubernetesObject> ObjectEvent<T> of(
      Kind kind, @Nullable T before, T now, Trigger trigger) {
    Entry.Keyed keyed = Entry.of(now);
    return new ObjectEvent<>(
        kind,
        keyed.key(),
        before == null ? null : Entry.of(before).entry(),
        keyed.entry(),
        trigger,
        (Class<T>) now.getClass());
  }

  /** Returns this as an event of any object; events only return objects. */
  @SuppressWarnings("unchecked") // nothing takes a T
  public ObjectEvent<KubernetesObject> ofAny() {
    return (ObjectEvent<KubernetesObject>) this;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the namespace and name of the object. */
  public Request key() {
    return key;
  }

  /**
   * Returns the cause: {@link Trigger#EVENT}, {@link Trigger#INITIAL_LIST}, {@link
   * Trigger#RESYNC}, or {@link Trigger#ACQUIRED} for an object that was loaded with its slot.
   */
  public Trigger trigger() {
    return trigger;
  }

  /** Returns the version of the present object. */
  public String resourceVersion() {
    return now.resourceVersion();
  }

  /**
   * Returns the present object, or its last known state when it is gone.
   *
   * @throws UndecodableObjectException when it does not fit its class
   */
  public T object() {
    if (decoded == null) {
      decoded = now.decode(key, type);
    }
    return Objects.requireNonNull(decoded);
  }

  /**
   * Returns the last delivered state of the object; empty unless it was updated.
   *
   * @throws UndecodableObjectException when it did not fit its class
   */
  public Optional<T> before() {
    if (before == null) {
      return Optional.empty();
    }
    if (decodedBefore == null) {
      decodedBefore = before.decode(key, type);
    }
    return Optional.of(decodedBefore);
  }

  /**
   * Returns a copy of the metadata of the present object, as stored in the cache. Nothing else of
   * the object is read.
   */
  public JsonObject metadata() {
    return now.metadata();
  }

  /**
   * Returns a copy of some members of {@link #metadata()}, such as {@code labels}, which is faster:
   * the others are not parsed.
   *
   * @param members their names; all are returned when none is given
   */
  public JsonObject metadata(Set<String> members) {
    return now.metadata(members);
  }

  /** Returns the metadata of the last delivered state; empty unless the object was updated. */
  public Optional<JsonObject> metadataBefore() {
    return before == null ? Optional.empty() : Optional.of(before.metadata());
  }

  /**
   * Returns a copy of some members of {@link #metadataBefore()}.
   *
   * @param members their names; all are returned when none is given
   */
  public Optional<JsonObject> metadataBefore(Set<String> members) {
    return before == null ? Optional.empty() : Optional.of(before.metadata(members));
  }

  /**
   * Returns which members of the metadata differ from the last delivered state; none unless the object was
   * updated. Reads them only.
   *
   * @param members the names of those to compare, such as {@code labels}; one that is empty equals none
   */
  public Set<String> changedMetadata(Set<String> members) {
    return before == null ? Set.of() : now.differing(before, members);
  }

  /** Returns whether the generation differs from before; true unless this is an update. */
  public boolean generationChanged() {
    return before == null || before.generation() != now.generation();
  }

  /** Returns whether the resource version differs from before; true unless this is an update. */
  public boolean resourceVersionChanged() {
    return before == null || !before.resourceVersion().equals(now.resourceVersion());
  }

  /**
   * Returns whether a text is anywhere in the present object, without decoding it.
   *
   * @param text ASCII characters, none of which JSON escapes
   */
  public boolean mentions(String text) {
    return now.mentions(text);
  }

  @Override
  public String toString() {
    return kind + " " + key + " (" + trigger + ")";
  }
}
