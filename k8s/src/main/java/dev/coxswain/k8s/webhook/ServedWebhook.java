// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonObject;
import io.vertx.core.Future;

/**
 * A webhook as a server sees it: a path and a function of reviews.
 *
 * <p>Thread rule: {@link #review} on an event loop, which it does not block.
 */
public sealed interface ServedWebhook permits AdmissionWebhook, ConversionWebhook {

  /** Returns the path, which is different for each webhook of a host. */
  String path();

  /**
   * Responds to a review.
   *
   * @param review the body of the request
   * @return the body of the response; fails with {@link IllegalArgumentException} when the request
   *     is not a review, and never because of user code
   */
  Future<JsonObject> review(JsonObject review);

  /** Returns how often user code has failed. */
  long failures();
}
