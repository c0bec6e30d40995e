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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One admission webhook: from an {@code AdmissionReview} to its response.
 *
 * <p>Thread rule: {@link #review} on an event loop; the rest is immutable.
 *
 * @param <T> the class of the objects
 */
public final class AdmissionWebhook<T extends KubernetesObject> implements ServedWebhook {

  private static final String VERSION = "admission.k8s.io/v1";
  private static final String KIND = "AdmissionReview";
  private static final int ERROR = 500;

  private final String controller;
  private final ResourceType<T> type;
  private final WebhookOptions options;
  private final boolean mutating;
  private final HandlerCall<T> handler;
  private final UserCode userCode;

  AdmissionWebhook(
      String controller,
      ResourceType<T> type,
      WebhookOptions options,
      boolean mutating,
      HandlerCall<T> handler) {
    this.controller = controller;
    this.type = type;
    this.options = options;
    this.mutating = mutating;
    this.handler = handler;
    this.userCode = new UserCode("webhook", path());
  }

  /** Returns the resource of its objects. */
  public ResourceType<T> type() {
    return type;
  }

  /** Returns whether it may change objects. */
  public boolean mutating() {
    return mutating;
  }

  /** Returns its options. */
  public WebhookOptions options() {
    return options;
  }

  @Override
  public String path() {
    return "/%s/%s/%s/%s/%s"
        .formatted(
            mutating ? "mutate" : "validate",
            controller,
            type.group().isEmpty() ? "core" : type.group(),
            type.version(),
            type.plural());
  }

  /** Returns the name in its configuration, which denials contain. */
  public String name() {
    return "%s.%s.%s.coxswain.dev"
        .formatted(mutating ? "mutate" : "validate", type.plural(), controller)
        .toLowerCase(Locale.ROOT);
  }

  @Override
  public Future<JsonObject> review(JsonObject review) {
    return Reviews.answer(review, VERSION, KIND, this::answer);
  }

  private Future<JsonObject> answer(JsonObject request) {
    Future<JsonObject> response;
    try {
      TypedCopy<T> copy =
          request.get("object") instanceof JsonObject sent ? TypedCopy.of(sent, type.type()) : null;
      AdmissionRequest<T> decoded = decoded(request, copy == null ? null : copy.object());
      response =
          handler.call(decoded, options.timeout()).map(answer -> response(answer, request, copy));
    } catch (Throwable e) {
      response = Future.failedFuture(e); // classes of users are decoded and encoded
    }
    return response.recover(e -> Future.succeededFuture(failed(request, e)));
  }

  private AdmissionRequest<T> decoded(JsonObject request, @Nullable T object) {
    List<String> groups = new ArrayList<>();
    JsonObject user = request.get("userInfo") instanceof JsonObject info ? info : new JsonObject();
    if (user.get("groups") instanceof JsonArray list) {
      list.forEach(group -> groups.add(group.getAsString()));
    }
    JsonElement dryRun = request.get("dryRun");
    return new AdmissionRequest<>(
        AdmissionRequest.Operation.valueOf(Json.text(request, "operation")),
        new AdmissionRequest.Key(Json.text(request, "namespace"), Json.text(request, "name")),
        object,
        request.get("oldObject") instanceof JsonObject old ? Json.decode(old, type.type()) : null,
        new AdmissionRequest.User(Json.text(user, "username"), groups),
        dryRun != null && dryRun.isJsonPrimitive() && dryRun.getAsBoolean());
  }

  private JsonObject response(
      AdmissionResponse<T> answer, JsonObject request, @Nullable TypedCopy<T> copy) {
    JsonObject response = new JsonObject();
    response.addProperty("allowed", answer.isAllowed());
    if (!answer.isAllowed()) {
      response.add("status", status(answer.code(), answer.message()));
    }
    T changed = answer.object();
    if (changed != null) {
      if (!mutating) {
        throw new IllegalStateException("a validating webhook must not return a changed object");
      }
      if (copy == null) {
        throw new IllegalStateException("a delete has no object that could be changed");
      }
      JsonArray patch =
          JsonDifference.between(request.getAsJsonObject("object"), copy.changedTo(changed));
      if (!patch.isEmpty()) {
        response.addProperty("patchType", "JSONPatch");
        response.addProperty(
            "patch",
            Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
      }
    }
    if (!answer.warnings().isEmpty()) {
      JsonArray warnings = new JsonArray();
      answer.warnings().forEach(warnings::add);
      response.add("warnings", warnings);
    }
    return response;
  }

  private JsonObject failed(JsonObject request, Throwable cause) {
    userCode.failed(
        "webhook failed, denying the write",
        Json.text(request, "namespace") + "/" + Json.text(request, "name"),
        cause);
    JsonObject response = new JsonObject();
    response.addProperty("allowed", false);
    response.add("status", status(ERROR, text(cause)));
    return response;
  }

  private String text(Throwable cause) {
    if (cause instanceof TimeoutException) {
      return "the webhook did not decide within " + options.timeout().toSeconds() + " s";
    }
    return UserCode.message(cause);
  }

  private static JsonObject status(int code, String message) {
    JsonObject status = new JsonObject();
    status.addProperty("code", code);
    status.addProperty("message", message);
    if (code == ERROR) {
      status.addProperty("reason", "InternalError");
    } else if (code == 403) {
      status.addProperty("reason", "Forbidden");
    } else if (code == 422) {
      status.addProperty("reason", "Invalid");
    }
    return status;
  }

  @Override
  public long failures() {
    return userCode.failures();
  }
}
