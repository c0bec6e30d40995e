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
import dev.coxswain.apiserver.internal.conversion.Conversions;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
  private final Conversions conversions;

  /** Creates a dispatcher. */
  public WebhookDispatcher(
      WebhookDirectory webhooks, WebhookClient client, Conversions conversions) {
    this.webhooks = webhooks;
    this.client = client;
    this.conversions = conversions;
  }

  Conversions conversions() {
    return conversions;
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
    Future<Optional<ObjectNode>> called;
    try {
      called =
          question.phase() == Phase.MUTATING
              ? new Mutation(request, user, warnings).run(matching)
              : validate(matching, request, user, warnings)
                  .map(v -> Optional.ofNullable(request.object()));
    } catch (RuntimeException e) {
      called = Future.failedFuture(e);
    }
    return called
        .map(object -> new Answer(question, object.orElse(null), null))
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
   * @return its response, empty when it was not to be called or its failure is ignored
   */
  private Future<Optional<JsonNode>> call(
      Webhook webhook,
      AdmissionRequest request,
      Access.User user,
      Set<String> warnings,
      boolean mutating) {
    ResourceType.Version version = webhook.matched(request);
    if (version == null || !webhook.selects(request, webhooks.namespaceLabels(request))) {
      return Future.succeededFuture(Optional.empty());
    }
    return inVersion(request, version)
        .compose(converted -> call(webhook, converted, version, user, warnings, mutating));
  }

  /** Converts both states when a rule matched in another version. */
  private Future<AdmissionRequest> inVersion(
      AdmissionRequest request, ResourceType.Version version) {
    ResourceType type = request.place().resource().type();
    boolean same = version.name().equals(request.place().resource().version().name());
    if (same || type.conversion() == null || !request.place().subresource().isEmpty()) {
      return Future.succeededFuture(request);
    }
    List<ObjectNode> states = new ArrayList<>();
    if (request.object() != null) {
      states.add(request.object());
    }
    if (request.old() != null) {
      states.add(request.old());
    }
    return conversions
        .convert(type, states, version, false)
        .map(made ->
            request.in(
                request.object() == null ? null : made.getFirst(),
                request.old() == null ? null : made.getLast()))
        .recover(
            e -> Future.failedFuture(AdmissionReviews.internal(String.valueOf(e.getMessage()))));
  }

  private Future<Optional<JsonNode>> call(
      Webhook webhook,
      AdmissionRequest request,
      ResourceType.Version version,
      Access.User user,
      Set<String> warnings,
      boolean mutating) {
    ObjectNode body = AdmissionReviews.request(request, version, user);
    try {
      if (!webhook.conditionsHold(body)) {
        return Future.succeededFuture(Optional.empty());
      }
    } catch (CelException e) {
      if (webhook.ignoresFailure) {
        return Future.succeededFuture(Optional.empty());
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
          return Optional.of(response);
        })
        .recover(e -> failed(webhook, e));
  }

  private static Future<Optional<JsonNode>> failed(Webhook webhook, Throwable cause) {
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
        ? Future.succeededFuture(Optional.empty())
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

    Future<Optional<ObjectNode>> run(List<Webhook> matching) {
      return each(matching, 0)
          .compose(v -> {
            List<Webhook> second = matching.stream().filter(again::contains).toList();
            return each(second, 0);
          })
          .map(v -> Optional.ofNullable(request.object()));
    }

    private Future<?> each(List<Webhook> list, int at) {
      if (at >= list.size()) {
        return Future.succeededFuture();
      }
      Webhook webhook = list.get(at);
      return call(webhook, request, user, warnings, true)
          .compose(response ->
              response.isEmpty() ? Future.succeededFuture() : apply(webhook, response.get()))
          .compose(v -> each(list, at + 1));
    }

    private Future<?> apply(Webhook webhook, JsonNode response) {
      ArrayNode patch = AdmissionReviews.patch(response);
      ObjectNode object = request.object();
      if (patch != null && object == null) {
        throw AdmissionReviews.internal(
            "admission webhook \"%s\" attempted to modify the object, which is not supported for this operation"
                .formatted(webhook.name));
      }
      Future<ObjectNode> patched =
          patch == null || object == null
              ? Future.succeededFuture(object)
              : patched(webhook, object, patch);
      return patched.map(state -> {
        if (state != null && !state.equals(object)) {
          again.addAll(called);
          request = request.with(state);
        }
        if (webhook.reinvoked) {
          called.add(webhook);
        }
        return null;
      });
    }

    /** Patches an object in the version that the webhook received. */
    private Future<ObjectNode> patched(Webhook webhook, ObjectNode object, ArrayNode patch) {
      ResourceType type = request.place().resource().type();
      ResourceType.Version own = request.place().resource().version();
      ResourceType.Version matched = webhook.matched(request);
      ResourceType.Version version = matched == null ? own : matched;
      boolean whole = request.place().subresource().isEmpty();
      return inVersion(request, version)
          .compose(converted -> {
            ObjectNode copy = Objects.requireNonNull(converted.object()).deepCopy();
            if (whole) {
              copy.put("apiVersion", type.apiVersion(version));
            }
            ObjectNode changed = JsonPatch.apply(copy, patch);
            boolean convert =
                whole && type.conversion() != null && !version.name().equals(own.name());
            return convert
                ? conversions.convert(type, List.of(changed), own, false).map(List::getFirst)
                : Future.succeededFuture(changed);
          })
          .map(changed -> {
            changed.put("kind", Json.text(object, "kind"));
            changed.put("apiVersion", Json.text(object, "apiVersion"));
            return request.complete().apply(changed);
          })
          .recover(
              e -> Future.failedFuture(AdmissionReviews.internal(String.valueOf(e.getMessage()))));
    }
  }
}
