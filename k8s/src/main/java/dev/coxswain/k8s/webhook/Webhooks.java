// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The webhooks of one controller, as its definition declares them. A class is a model of the
 * official client or has a {@link dev.coxswain.k8s.resource.KubernetesResource} annotation.
 *
 * <p>Thread rule: one thread.
 */
public final class Webhooks {

  private final String controller;
  private final List<AdmissionWebhook<?>> admission = new ArrayList<>();
  private final Map<String, ConversionWebhook> conversion = new LinkedHashMap<>();

  /**
   * Creates an empty collection.
   *
   * @param controller the name of the controller
   */
  public Webhooks(String controller) {
    this.controller = Objects.requireNonNull(controller, "controller");
  }

  /** Adds a validating webhook for creates and updates. */
  public <T extends KubernetesObject> Webhooks validating(
      Class<T> type, AdmissionHandler<T> handler) {
    return validating(type, WebhookOptions.DEFAULT, handler);
  }

  /** Adds a validating webhook. */
  public <T extends KubernetesObject> Webhooks validating(
      Class<T> type, WebhookOptions options, AdmissionHandler<T> handler) {
    return add(type, options, false, HandlerCall.blocking(handler));
  }

  /** Adds a validating webhook whose handler never blocks. */
  public <T extends KubernetesObject> Webhooks validatingAsync(
      Class<T> type, WebhookOptions options, AsyncAdmissionHandler<T> handler) {
    return add(type, options, false, HandlerCall.async(handler));
  }

  /** Adds a mutating webhook for creates and updates. */
  public <T extends KubernetesObject> Webhooks mutating(
      Class<T> type, AdmissionHandler<T> handler) {
    return mutating(type, WebhookOptions.DEFAULT, handler);
  }

  /** Adds a mutating webhook. */
  public <T extends KubernetesObject> Webhooks mutating(
      Class<T> type, WebhookOptions options, AdmissionHandler<T> handler) {
    return add(type, options, true, HandlerCall.blocking(handler));
  }

  /** Adds a mutating webhook whose handler never blocks. */
  public <T extends KubernetesObject> Webhooks mutatingAsync(
      Class<T> type, WebhookOptions options, AsyncAdmissionHandler<T> handler) {
    return add(type, options, true, HandlerCall.async(handler));
  }

  private <T extends KubernetesObject> Webhooks add(
      Class<T> type, WebhookOptions options, boolean mutating, HandlerCall<T> handler) {
    AdmissionWebhook<T> added =
        new AdmissionWebhook<>(controller, ResourceType.of(type), options, mutating, handler);
    // Their names in the configuration have neither group nor version, and must differ.
    if (admission.stream().anyMatch(other -> other.name().equals(added.name()))) {
      throw new IllegalArgumentException(
          "controller "
              + controller
              + " declares two "
              + (mutating ? "mutating" : "validating")
              + " webhooks for "
              + added.type().plural()
              + "; one of them receives the objects of all versions");
    }
    admission.add(added);
    return this;
  }

  /**
   * Adds a conversion between two versions of a kind. Conversions between other versions go over
   * those that are declared, so it is enough to convert each version from and to one of them. The
   * functions run on virtual threads, many at once. They need not copy the metadata: all but labels
   * and annotations is kept, and these are when the result has no metadata. Other members that neither
   * class has are kept, too, where they were.
   *
   * @param first a version of the kind
   * @param second another version of the same kind
   * @param upgrade makes the second of the first
   * @param downgrade makes the first of the second
   */
  public <A extends KubernetesObject, B extends KubernetesObject> Webhooks converting(
      Class<A> first, Class<B> second, Function<A, B> upgrade, Function<B, A> downgrade) {
    ResourceType<A> from = ResourceType.of(first);
    ResourceType<B> to = ResourceType.of(second);
    if (!from.group().equals(to.group()) || !from.plural().equals(to.plural())) {
      throw new IllegalArgumentException(
          "a conversion is between versions of one kind: " + from + " and " + to);
    }
    conversion
        .computeIfAbsent(from.toString(), _ -> new ConversionWebhook(controller, from))
        .add(from, to, upgrade)
        .add(to, from, downgrade);
    return this;
  }

  /** Returns the admission webhooks, in the order in which they were declared. */
  public List<AdmissionWebhook<?>> admission() {
    return List.copyOf(admission);
  }

  /** Returns the conversion webhooks, one for each kind. */
  public List<ConversionWebhook> conversion() {
    return List.copyOf(conversion.values());
  }
}
