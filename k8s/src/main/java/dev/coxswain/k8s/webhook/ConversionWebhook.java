// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.resource.TypedCopy;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The conversion webhook of one kind: from a {@code ConversionReview} to its response.
 *
 * <p>Thread rule: {@link #review} on an event loop; complete before the first review.
 */
public final class ConversionWebhook implements ServedWebhook {

  private static final String VERSION = "apiextensions.k8s.io/v1";
  private static final String KIND = "ConversionReview";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Equal where metadata has been taken over; new metadata lacks one of them, such as the uid. */
  private static final List<String> IDENTITY = List.of("name", "generateName", "uid");

  private final String controller;
  private final String group;
  private final String plural;
  private final UserCode userCode;

  /** The declared conversions, by the API versions from and to. */
  private final Map<String, Map<String, UnaryOperator<JsonObject>>> steps = new LinkedHashMap<>();

  ConversionWebhook(String controller, ResourceType<?> type) {
    this.controller = controller;
    this.group = type.group();
    this.plural = type.plural();
    this.userCode = new UserCode("webhook", path());
  }

  <A extends KubernetesObject, B extends KubernetesObject> ConversionWebhook add(
      ResourceType<A> from, ResourceType<B> to, Function<A, B> function) {
    UnaryOperator<JsonObject> step =
        json -> {
          TypedCopy<A> copy = TypedCopy.of(json, from.type());
          B converted =
              Objects.requireNonNull(function.apply(copy.object()), "no converted object");
          JsonObject made = copy.convertedTo(converted, to.type());
          made.addProperty("apiVersion", to.apiVersion());
          made.addProperty("kind", to.kind());
          made.add("metadata", metadata(json, made));
          return made;
        };
    steps.computeIfAbsent(from.apiVersion(), _ -> new LinkedHashMap<>()).put(to.apiVersion(), step);
    return this;
  }

  /**
   * Metadata is that of the original, but labels and annotations may be changed: metadata that has been taken over has
   * all of them, new metadata has more of them.
   */
  private static JsonObject metadata(JsonObject original, JsonObject made) {
    JsonObject kept =
        original.get("metadata") instanceof JsonObject object
            ? object.deepCopy()
            : new JsonObject();
    if (made.get("metadata") instanceof JsonObject given) {
      boolean takenOver =
          IDENTITY.stream().allMatch(field -> Objects.equals(kept.get(field), given.get(field)));
      for (String field : new String[] {"labels", "annotations"}) {
        JsonElement texts = given.get(field);
        if (takenOver) {
          kept.remove(field);
        }
        if (texts instanceof JsonObject more && kept.get(field) instanceof JsonObject some) {
          more.asMap().forEach(some::add);
        } else if (texts instanceof JsonObject) {
          kept.add(field, texts);
        }
      }
    }
    return kept;
  }

  /** Returns the name of the definition of its kind, such as {@code demos.demo.coxswain.dev}. */
  public String definition() {
    return plural + "." + group;
  }

  @Override
  public String path() {
    return "/convert/%s/%s/%s".formatted(controller, group, plural);
  }

  @Override
  public Future<JsonObject> review(JsonObject review) {
    return Reviews.answer(review, VERSION, KIND, this::answer);
  }

  private Future<JsonObject> answer(JsonObject request) {
    String wanted = Json.text(request, "desiredAPIVersion");
    JsonArray objects = request.get("objects") instanceof JsonArray list ? list : new JsonArray();
    return HandlerCall.onVirtualThread(() -> converted(objects, wanted), LIMIT)
        .map(made -> {
          JsonObject response = new JsonObject();
          response.add("convertedObjects", made);
          response.add("result", result("Success", ""));
          return response;
        })
        .recover(e -> {
          userCode.failed("conversion failed", null, e);
          JsonObject response = new JsonObject();
          response.add("result", result("Failed", UserCode.message(e)));
          return Future.succeededFuture(response);
        });
  }

  private static JsonObject result(String status, String message) {
    JsonObject result = new JsonObject();
    result.addProperty("status", status);
    if (!message.isEmpty()) {
      result.addProperty("message", message);
    }
    return result;
  }

  private JsonArray converted(JsonArray objects, String wanted) {
    JsonArray made = new JsonArray();
    for (JsonElement object : objects) {
      made.add(converted(object.getAsJsonObject(), wanted));
    }
    return made;
  }

  /** Converts over the fewest declared conversions. */
  private JsonObject converted(JsonObject object, String wanted) {
    String from = Json.text(object, "apiVersion");
    Map<String, String> reachedFrom = new HashMap<>();
    Deque<String> open = new ArrayDeque<>();
    open.add(wanted);
    // from the wanted version backwards, so that the way is found in its order
    while (!open.isEmpty() && !reachedFrom.containsKey(from) && !from.equals(wanted)) {
      String version = open.removeFirst();
      steps.forEach((before, next) -> {
        if (next.containsKey(version)
            && !before.equals(wanted)
            && reachedFrom.putIfAbsent(before, version) == null) {
          open.add(before);
        }
      });
    }
    JsonObject made = object;
    String at = from;
    while (!at.equals(wanted)) {
      String next = reachedFrom.get(at);
      UnaryOperator<JsonObject> step =
          next == null ? null : steps.getOrDefault(at, Map.of()).get(next);
      if (next == null || step == null) {
        throw new IllegalArgumentException("no conversion from " + from + " to " + wanted);
      }
      made = step.apply(made);
      at = next;
    }
    return made;
  }

  @Override
  public long failures() {
    return userCode.failures();
  }
}
