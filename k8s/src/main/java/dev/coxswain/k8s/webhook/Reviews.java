// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import io.vertx.core.Future;
import java.util.function.Function;

/** What the reviews of the API server have in common: a request with a uid, and its response. */
final class Reviews {

  private Reviews() {}

  /**
   * Returns a review with the response to the request of another one; fails for a review of another
   * version.
   */
  static Future<JsonObject> answer(
      JsonObject review,
      String version,
      String kind,
      Function<JsonObject, Future<JsonObject>> handler) {
    JsonObject request =
        review.get("request") instanceof JsonObject object ? object : new JsonObject();
    String uid = Json.text(request, "uid");
    if (uid.isEmpty() || !Json.text(review, "apiVersion").equals(version)) {
      return Future.failedFuture(
          new IllegalArgumentException("not a review of " + version + " with a request and a uid"));
    }
    return handler
        .apply(request)
        .map(response -> {
          response.addProperty("uid", uid);
          JsonObject result = new JsonObject();
          result.addProperty("apiVersion", version);
          result.addProperty("kind", kind);
          result.add("response", response);
          return result;
        });
  }
}
