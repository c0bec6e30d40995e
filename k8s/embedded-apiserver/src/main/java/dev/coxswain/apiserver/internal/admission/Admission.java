// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.conversion.ConversionCache;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.webhook.PendingException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answers of webhooks to one request of a client, and what must stay the same while the request
 * is handled again. Confined to the server's event loop.
 */
public final class Admission {
  /** Writes of the server itself, which no webhook sees. */
  public static final Admission NONE =
      new Admission(null, new Access.User("", List.of()), ConversionCache.NONE);

  /**
   * How many reviews one object may need because it changes meanwhile: two of a write, and as many
   * for each repetition.
   */
  private static final int MAX_REVIEWS = 12;

  /** The two kinds of webhook. */
  enum Phase {
    MUTATING,
    VALIDATING
  }

  record Question(Phase phase, AdmissionRequest request) {
    boolean same(Question other) {
      return phase == other.phase && request.same(other.request);
    }
  }

  /** The mutated object, which is null for a delete; or the failure. */
  record Answer(Question question, @Nullable ObjectNode object, @Nullable ApiException failure) {}

  private final @Nullable WebhookDispatcher webhooks;
  private final Access.User user;
  private final ConversionCache conversions;
  private final List<Answer> answers = new ArrayList<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Map<String, String> values = new HashMap<>();

  private Admission(
      @Nullable WebhookDispatcher webhooks, Access.User user, ConversionCache conversions) {
    this.webhooks = webhooks;
    this.user = user;
    this.conversions = conversions;
  }

  /** Creates the admission of a request. */
  public static Admission of(WebhookDispatcher webhooks, Access.User user) {
    return new Admission(webhooks, user, new ConversionCache(webhooks.conversions()));
  }

  /** Returns an admission without webhooks for the same request, with its conversions. */
  public Admission closed() {
    return new Admission(null, user, conversions);
  }

  /**
   * Returns the object as mutating webhooks want it; null when there are none, and for a delete.
   *
   * @throws PendingException when they have not been called yet
   * @throws ApiException when one denies the request or fails
   */
  public @Nullable ObjectNode mutate(AdmissionRequest request) {
    Answer answer = ask(new Question(Phase.MUTATING, request));
    ObjectNode object = answer == null ? null : answer.object();
    return object == null ? null : object.deepCopy();
  }

  /**
   * Has validating webhooks check the final state.
   *
   * @throws PendingException when they have not been called yet
   * @throws ApiException when one denies the request or fails
   */
  public void validate(AdmissionRequest request) {
    ask(new Question(Phase.VALIDATING, request));
  }

  private @Nullable Answer ask(Question question) {
    if (webhooks == null || !webhooks.any(question)) {
      return null;
    }
    for (Answer answer : answers) {
      if (answer.question().same(question)) {
        if (answer.failure() != null) {
          throw answer.failure();
        }
        return answer;
      }
    }
    if (reviews(question) >= MAX_REVIEWS) {
      AdmissionRequest.Place place = question.request().place();
      throw ApiException.modified(place.resource().type().names(), place.name());
    }
    Question asked = copied(question);
    WebhookDispatcher dispatcher = webhooks;
    throw new PendingException(
        () -> dispatcher.answer(asked, user, warnings).onSuccess(answers::add));
  }

  private long reviews(Question question) {
    AdmissionRequest.Place place = question.request().place();
    return answers.stream().filter(a -> a.question().request().place().equals(place)).count();
  }

  /** The verb goes on with its trees when it is repeated, so the calls get their own. */
  private static Question copied(Question question) {
    AdmissionRequest request = question.request();
    ObjectNode object = request.object();
    return new Question(
        question.phase(), object == null ? request : request.with(object.deepCopy()));
  }

  /** The conversions of this request. */
  public ConversionCache conversions() {
    return conversions;
  }

  /** Texts of webhooks for {@code Warning} headers. */
  public Set<String> warnings() {
    return warnings;
  }

  /** Returns a value that is computed once for the request, however often it is handled. */
  public String once(String name, Supplier<String> value) {
    return webhooks == null ? value.get() : values.computeIfAbsent(name, n -> value.get());
  }
}
