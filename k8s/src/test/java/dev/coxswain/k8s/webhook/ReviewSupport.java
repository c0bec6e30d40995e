// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Reviews as the API server sends them, answered on an event loop. */
abstract class ReviewSupport {

  final Vertx vertx = Vertx.vertx();

  @AfterEach
  void stop() {
    vertx.close();
  }

  static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  JsonObject reviewed(ServedWebhook webhook, JsonObject review) throws Exception {
    Promise<JsonObject> done = Promise.promise();
    vertx.runOnContext(v -> webhook.review(review).onComplete(done));
    return done.future()
        .toCompletionStage()
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS)
        .getAsJsonObject("response");
  }

  @KubernetesResource(group = "tests.dev", version = "v2", plural = "boxes", kind = "Box")
  static final class NewBox extends CustomObject {
    @Nullable Spec spec;

    record Spec(int replicas, @Nullable String note) {}
  }
}
