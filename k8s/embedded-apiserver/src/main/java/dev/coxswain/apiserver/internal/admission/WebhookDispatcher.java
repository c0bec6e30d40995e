// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.admission.Admission.Answer;
import dev.coxswain.apiserver.internal.admission.Admission.Phase;
import dev.coxswain.apiserver.internal.admission.Admission.Question;
import dev.coxswain.apiserver.internal.cel.CelException;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.patch.JsonPatch;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.webhook.WebhookClient;
import dev.coxswain.apiserver.internal.webhook.WebhookException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the webhooks that match a write: mutating ones in turn, validating ones at once. Confined to
 * the server's event loop.
 */
public final class WebhookDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookDispatcher.class);

  private final WebhookDirectory webhooks;
  private final WebhookClient client;

  /** Creates a dispatcher. */
  public WebhookDispatcher(WebhookDirectory webhooks, WebhookClient client) {
    this.webhooks = webhooks;
    this.client = client;
  }

  /** Returns whether a rule of some webhook matches; its selectors may still exclude it. */
  boolean any(Question question) {
    return !webhooks.matching(question.phase(), question.request()).isEmpty();
  }

  /**
   * Calls the webhooks.
   *
   * @param warnings receives the warnings of the responses
   * @return the answer, never a failure
   */
  Future<Answer> answer(Question question, Access.User user, Set<String> warnings) {
    AdmissionRequest request = question.request();
    List<Webhook> matching = webhooks.matching(question.phase(), request);
    Future<@Nullable ObjectNode> called;
    try {
      called =
          question.phase() == Phase.MUTATING
              ? new Mutation(request, user, warnings).run(matching)
              : validate(matching, request, user, warnings).map(v -> request.object());
    } catch (RuntimeException e) {
      called = Future.failedFuture(e);
    }
    return called
        .map(object -> new Answer(question, object, null))
        .recover(e -> Future.succeededFuture(new Answer(question, null, failure(e))));
  }

  private static ApiException failure(Throwable cause) {
    if (cause instanceof ApiException known) {
      return known;
    }
    LOG.atError().setCause(cause).log("admission failed unexpectedly");
    return AdmissionReviews.internal(cause.getClass().getSimpleName());
  }

  /** All are called; the first that failed, in the order of their configurations, decides. */
  private Future<?> validate(
      List<Webhook> matching, AdmissionRequest request, Access.User user, Set<String> warnings) {
    List<Future<?>> calls = new ArrayList<>();
    for (Webhook webhook : matching) {
      calls.add(call(webhook, request, user, warnings, false));
    }
    return Future.join(calls)
        .recover(e ->
            calls.stream()
                .filter(Future::failed)
                .findFirst()
                .<Future<?>>map(f -> f)
                .orElseThrow()
                .mapEmpty());
  }

  /**
   * Calls one webhook.
   *
   * @return its response, null when it was not to be called or its failure is ignored
   */
  private Future<@Nullable JsonNode> call(
      Webhook webhook,
      AdmissionRequest request,
      Access.User user,
      Set<String> warnings,
      boolean mutating) {
    ResourceType.Version version = webhook.matched(request);
    if (version == null || !webhook.selects(request, webhooks.namespaceLabels(request))) {
      return Future.succeededFuture();
    }
    ObjectNode body = AdmissionReviews.request(request, version, user);
    try {
      if (!webhook.conditionsHold(body)) {
        return Future.succeededFuture();
      }
    } catch (CelException e) {
      if (webhook.ignoresFailure) {
        return Future.succeededFuture();
      }
      AdmissionRequest.Place place = request.place();
      return Future.failedFuture(
          ApiException.forbidden(
              place.resource().type().names(), place.name(), String.valueOf(e.getMessage())));
    }
    return client
        .post(webhook.target, AdmissionReviews.review(body), webhook.seconds)
        .recover(e ->
            Future.failedFuture(new WebhookException("failed to call webhook: " + e.getMessage())))
        .map(review -> {
          JsonNode response = AdmissionReviews.response(review, Json.text(body, "uid"), mutating);
          warnings.addAll(Json.texts(response.path("warnings")));
          if (!response.path("allowed").asBoolean()) {
            throw AdmissionReviews.denied(webhook.name, response.path("status"));
          }
          if (mutating) {
            AdmissionReviews.patch(response); // one that cannot be read is a failure of the call
          }
          return response;
        })
        .recover(e -> failed(webhook, e));
  }

  private static Future<@Nullable JsonNode> failed(Webhook webhook, Throwable cause) {
    if (!(cause instanceof WebhookException)) {
      return Future.failedFuture(cause);
    }
    String why = String.valueOf(cause.getMessage());
    LOG.atWarn()
        .addKeyValue("webhook", webhook.name)
        .addKeyValue("ignored", webhook.ignoresFailure)
        .addKeyValue("error", why)
        .log("webhook call failed");
    return webhook.ignoresFailure
        ? Future.succeededFuture()
        : Future.failedFuture(AdmissionReviews.failed(webhook.name, why));
  }

  /**
   * The mutating webhooks of one write, in turn. When one changes the object, those before it that
   * want so are called once more at the end.
   */
  private final class Mutation {
    private final Access.User user;
    private final Set<String> warnings;
    private final Set<Webhook> called = new LinkedHashSet<>();
    private final Set<Webhook> again = new LinkedHashSet<>();
    private AdmissionRequest request;

    Mutation(AdmissionRequest request, Access.User user, Set<String> warnings) {
      this.request = request;
      this.user = user;
      this.warnings = warnings;
    }

    Future<@Nullable ObjectNode> run(List<Webhook> matching) {
      return each(matching, 0)
          .compose(v -> {
            List<Webhook> second = matching.stream().filter(again::contains).toList();
            return each(second, 0);
          })
          .map(v -> request.object());
    }

    private Future<?> each(List<Webhook> list, int at) {
      if (at >= list.size()) {
        return Future.succeededFuture();
      }
      Webhook webhook = list.get(at);
      return call(webhook, request, user, warnings, true)
          .compose(response -> {
            if (response != null) {
              apply(webhook, response);
            }
            return each(list, at + 1);
          });
    }

    private void apply(Webhook webhook, JsonNode response) {
      ArrayNode patch = AdmissionReviews.patch(response);
      if (patch != null) {
        ObjectNode object = request.object();
        if (object == null) {
          throw AdmissionReviews.internal(
              "admission webhook \"%s\" attempted to modify the object, which is not supported for this operation"
                  .formatted(webhook.name));
        }
        ObjectNode patched = patched(webhook, object, patch);
        if (!patched.equals(object)) {
          again.addAll(called);
          request = request.with(patched);
        }
      }
      if (webhook.reinvoked) {
        called.add(webhook);
      }
    }

    private ObjectNode patched(Webhook webhook, ObjectNode object, ArrayNode patch) {
      ResourceType.Version version = webhook.matched(request);
      boolean scale = request.place().subresource().equals("scale");
      String own = Json.text(object, "apiVersion");
      ObjectNode copy = object.deepCopy();
      if (version != null && !scale) {
        copy.put("apiVersion", request.place().resource().type().apiVersion(version));
      }
      ObjectNode patched;
      try {
        patched = JsonPatch.apply(copy, patch);
      } catch (ApiException e) {
        throw AdmissionReviews.internal(String.valueOf(e.getMessage()));
      }
      patched.put("kind", Json.text(object, "kind")).put("apiVersion", own);
      try {
        return request.complete().apply(patched);
      } catch (ApiException e) {
        throw AdmissionReviews.internal(String.valueOf(e.getMessage()));
      }
    }
  }
}
