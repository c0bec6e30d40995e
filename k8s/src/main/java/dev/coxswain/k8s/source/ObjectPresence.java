// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Presence;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Explains why a source holds an object, or does not. */
final class ObjectPresence {

  private static final int MAX_LABELS_TEXT = 300;

  private ObjectPresence() {}

  /** Returns what the caches of a source say; any thread, without waiting. */
  static <T extends KubernetesObject> Presence of(
      InformerHandle<T> handle,
      CacheSelection<T> selection,
      Predicate<ObjectEvent<T>> passes,
      Request request) {
    Optional<ObjectEvent<T>> held = handle.asListed(request);
    if (held.isPresent()) {
      return passes.test(held.get())
          ? Presence.HELD
          : leftOut("The predicate of source \"%s\" excludes its events.".formatted(selection));
    }
    if (!selection.covers(request.namespace())) {
      return leftOut(
          "The source \"%s\" does not watch namespace \"%s\"."
              .formatted(selection, request.namespace()));
    }
    if (handle.isForeign(request) && !handle.isLoading(request)) {
      return Presence.UNKNOWN; // of another replica
    }
    if (handle.isForeign(request)) {
      return loading(
          "The source \"%s\" is loading the objects of its slot, which is new to this replica; it is queued when that has ended."
              .formatted(selection));
    }
    if (!handle.isSynced()) {
      return loading("The source \"%s\" has not listed its objects yet.".formatted(selection));
    }
    String why = selection.selects() ? ": it does not exist, or the selector excludes it." : ".";
    return absent("The cache of source \"%s\" does not hold it%s".formatted(selection, why));
  }

  /**
   * Reads an object that is not in the cache; blocks.
   *
   * @param known what the cache says, which is returned with the reason when it cannot be read
   */
  static <T extends KubernetesObject> Presence read(
      ApiTransport transport, CacheSelection<T> selection, Request request, Presence known) {
    CacheKey<T> key = keyOf(selection, request);
    JsonObject object;
    try {
      object = transport.get(key.type().path(request.namespace()) + "/" + request.name(), Map.of());
    } catch (ApiStatusException e) {
      return e.isNotFound() && !e.isApiMissing()
          ? absent(
              "The API server has no %s of this namespace and name.".formatted(key.type().kind()))
          : new Presence(
              known.state(), known.detail() + " It could not be read: " + UserCode.text(e));
    } catch (RuntimeException e) {
      return new Presence(
          known.state(), known.detail() + " It could not be read: " + UserCode.text(e));
    }
    Map<String, String> labels = labels(object);
    if (!key.labelSelector().isEmpty()
        && !LabelSelector.parse(key.labelSelector()).matches(labels)) {
      return leftOut(
          "It exists, and its labels %s do not match the selector \"%s\" of source \"%s\"."
              .formatted(shown(labels), key.labelSelector(), selection));
    }
    if (!key.fieldSelector().isEmpty()) {
      return leftOut(
          "It exists, and the field selector \"%s\" of source \"%s\" excludes it, or its event is on the way."
              .formatted(key.fieldSelector(), selection));
    }
    return loading(
        "It exists, and the source \"%s\" has not received it yet.".formatted(selection));
  }

  private static <T extends KubernetesObject> CacheKey<T> keyOf(
      CacheSelection<T> selection, Request request) {
    return selection.keys().stream()
        .filter(key -> key.namespace().isEmpty() || key.namespace().equals(request.namespace()))
        .findFirst()
        .orElseGet(() -> selection.keys().getFirst());
  }

  private static Map<String, String> labels(JsonObject object) {
    Map<String, String> labels = new TreeMap<>();
    if (object.get("metadata") instanceof JsonObject metadata
        && metadata.get("labels") instanceof JsonObject found) {
      for (Map.Entry<String, JsonElement> label : found.entrySet()) {
        labels.put(label.getKey(), label.getValue().getAsString());
      }
    }
    return labels;
  }

  private static String shown(Map<String, String> labels) {
    String text = labels.toString();
    return text.length() <= MAX_LABELS_TEXT ? text : text.substring(0, MAX_LABELS_TEXT) + "...";
  }

  private static Presence leftOut(String why) {
    return new Presence(Presence.State.LEFT_OUT, why);
  }

  private static Presence loading(String why) {
    return new Presence(Presence.State.LOADING, why);
  }

  private static Presence absent(String why) {
    return new Presence(Presence.State.ABSENT, why);
  }
}
