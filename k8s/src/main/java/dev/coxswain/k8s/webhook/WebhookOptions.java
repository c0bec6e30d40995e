// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import dev.coxswain.k8s.webhook.AdmissionRequest.Operation;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The options of an admission webhook.
 *
 * <p>Thread rule: immutable.
 *
 * @param operations the writes that it decides on
 * @param timeout the time limit of a call, whole seconds from 1 s to 30 s
 * @param ignoreFailures whether a write passes when the webhook cannot be called
 * @param objectLabels only objects with these labels; empty for all
 * @param namespaceLabels only objects in namespaces with these labels; empty for all
 * @param reinvoked whether a mutating webhook is called again when a later one has changed the
 *     object
 */
@RecordBuilder
public record WebhookOptions(
    Set<Operation> operations,
    Duration timeout,
    boolean ignoreFailures,
    Map<String, String> objectLabels,
    Map<String, String> namespaceLabels,
    boolean reinvoked)
    implements WebhookOptionsBuilder.With {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** The default time limit. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Creates and updates of all objects, 10 s, failures deny the write. */
  public static final WebhookOptions DEFAULT =
      new WebhookOptions(
          Set.of(Operation.CREATE, Operation.UPDATE),
          DEFAULT_TIMEOUT,
          false,
          Map.of(),
          Map.of(),
          false);

  public WebhookOptions {
    operations = Set.copyOf(operations);
    objectLabels = Map.copyOf(objectLabels);
    namespaceLabels = Map.copyOf(namespaceLabels);
    if (operations.isEmpty()) {
      throw new IllegalArgumentException("a webhook needs an operation");
    }
    if (timeout.getNano() != 0 || timeout.getSeconds() < 1 || timeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the timeout of a webhook must be whole seconds from 1 s to 30 s: " + timeout);
    }
  }
}
