// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.selector.LabelSelector;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * The common predicates. Those that compare two states pass every event that is no update, and
 * every resync.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class Predicates {

  private static final String LABELS = "labels";

  private Predicates() {}

  /**
   * Passes updates of the spec: the generation has changed, or the object is being deleted since.
   * Changes of status, labels and annotations are stopped. For resources that have no generation
   * use {@link #resourceVersionChanged}.
   */
  public static <T extends KubernetesObject> EventPredicate<T> generationChanged() {
    return changes(event -> event.generationChanged() || differs(event, "deletionTimestamp"));
  }

  /** Passes updates that changed anything at all. */
  public static <T extends KubernetesObject> EventPredicate<T> resourceVersionChanged() {
    return changes(ObjectEvent::resourceVersionChanged);
  }

  /** Passes updates that changed labels. */
  public static <T extends KubernetesObject> EventPredicate<T> labelsChanged() {
    return changes(event -> differs(event, LABELS));
  }

  /** Passes updates that changed annotations. */
  public static <T extends KubernetesObject> EventPredicate<T> annotationsChanged() {
    return changes(event -> differs(event, "annotations"));
  }

  /**
   * Passes events of objects whose labels are selected; an update passes also when they were
   * selected before, so that leaving the selection is noticed.
   *
   * @param selector a label selector
   * @throws IllegalArgumentException when the selector cannot be parsed
   */
  public static <T extends KubernetesObject> EventPredicate<T> selects(String selector) {
    LabelSelector parsed = LabelSelector.parse(selector);
    Set<String> read = Set.of(LABELS);
    return event ->
        parsed.matches(labels(event.metadata(read)))
            || event
                .metadataBefore(read)
                .map(before -> parsed.matches(labels(before)))
                .orElse(false);
  }

  /** Passes events of objects that satisfy {@code condition} now. */
  public static <T extends KubernetesObject> EventPredicate<T> object(Predicate<T> condition) {
    return event -> condition.test(event.object());
  }

  /** Stops new objects, those of an initial list included, that do not satisfy {@code condition}. */
  public static <T extends KubernetesObject> EventPredicate<T> onCreate(Predicate<T> condition) {
    return event -> event.kind() != ObjectEvent.Kind.ADDED || condition.test(event.object());
  }

  /**
   * Stops updates that do not satisfy {@code condition}.
   *
   * @param condition receives the last delivered state and the present one
   */
  public static <T extends KubernetesObject> EventPredicate<T> onUpdate(
      BiPredicate<T, T> condition) {
    return changes(
        event -> event.before().map(before -> condition.test(before, event.object())).orElse(true));
  }

  /** Stops deletions of objects whose last known state does not satisfy {@code condition}. */
  public static <T extends KubernetesObject> EventPredicate<T> onDelete(Predicate<T> condition) {
    return event -> event.kind() != ObjectEvent.Kind.DELETED || condition.test(event.object());
  }

  private static <T extends KubernetesObject> EventPredicate<T> changes(
      EventPredicate<T> onUpdate) {
    return event ->
        event.kind() != ObjectEvent.Kind.UPDATED
            || event.trigger() != dev.coxswain.reconcile.Trigger.EVENT
            || onUpdate.test(event);
  }

  private static <T extends KubernetesObject> boolean differs(ObjectEvent<T> event, String member) {
    return !event.changedMetadata(Set.of(member)).isEmpty();
  }

  private static Map<String, String> labels(JsonObject metadata) {
    Map<String, String> labels = new HashMap<>();
    if (metadata.get(LABELS) instanceof JsonObject all) {
      all.keySet().forEach(name -> labels.put(name, Json.text(all, name)));
    }
    return labels;
  }
}
