// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reviews reach handlers as typed objects, and their decisions become responses. */
final class WebhooksTest extends ReviewSupport {

  private static JsonObject admission(String object) {
    return json(
        """
        {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",
         "operation":"CREATE","namespace":"shop","name":"cart","dryRun":true,
         "userInfo":{"username":"ann","groups":["devs"]},"object":%s,"oldObject":null}}
        """
            .formatted(object));
  }

  private JsonObject validated(AdmissionHandler<V1ConfigMap> handler) throws Exception {
    return reviewed(
        new Webhooks("greeter").validating(V1ConfigMap.class, handler).admission().getFirst(),
        admission("{\"metadata\":{\"name\":\"cart\"},\"data\":{\"a\":\"1\"}}"));
  }

  private static JsonArray patch(JsonObject response) {
    return JsonParser.parseString(
            new String(
                Base64.getDecoder().decode(response.get("patch").getAsString()),
                StandardCharsets.UTF_8))
        .getAsJsonArray();
  }

  @Test
  void handler_receivesTypedObjectUserAndDryRun() throws Exception {
    JsonObject response =
        validated(request -> {
          boolean right =
              Map.of("a", "1").equals(request.object().getData())
                  && request.old().isEmpty()
                  && request.dryRun()
                  && request.key().equals(new AdmissionRequest.Key("shop", "cart"))
                  && request.user().name().equals("ann")
                  && request.user().groups().contains("devs");
          return right ? AdmissionResponse.allowed() : AdmissionResponse.denied("wrong");
        });

    assertThat(response.toString()).isEqualTo("{\"allowed\":true,\"uid\":\"u1\"}");
  }

  @Test
  void denial_hasMessageCodeAndWarnings() throws Exception {
    JsonObject response =
        validated(
            request -> AdmissionResponse.<V1ConfigMap>denied("not today", 422).warning("tomorrow"));

    assertThat(response.get("allowed").getAsBoolean()).isFalse();
    assertThat(response.getAsJsonObject("status").toString())
        .isEqualTo("{\"code\":422,\"message\":\"not today\",\"reason\":\"Invalid\"}");
    assertThat(response.getAsJsonArray("warnings").toString()).isEqualTo("[\"tomorrow\"]");
  }

  @Test
  void anyThrowable_deniesWith500_andIsCounted() throws Exception {
    AdmissionWebhook<?> webhook =
        new Webhooks("greeter")
            .validating(
                V1ConfigMap.class,
                request -> {
                  throw new StackOverflowError("too deep");
                })
            .admission()
            .getFirst();

    JsonObject status = reviewed(webhook, admission("{}")).getAsJsonObject("status");

    assertThat(status.get("code").getAsInt()).isEqualTo(500);
    assertThat(status.get("message").getAsString()).isEqualTo("too deep");
    assertThat(webhook.failures()).isEqualTo(1);
  }

  @Test
  void handlerThatBlocks_isInterruptedAtItsLimit() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    AdmissionWebhook<?> webhook =
        new Webhooks("greeter")
            .validating(
                V1ConfigMap.class,
                WebhookOptions.DEFAULT.withTimeout(Duration.ofSeconds(1)),
                request -> {
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw e;
                  }
                  return AdmissionResponse.allowed();
                })
            .admission()
            .getFirst();

    JsonObject status = reviewed(webhook, admission("{}")).getAsJsonObject("status");

    assertThat(status.get("message").getAsString())
        .isEqualTo("the webhook did not decide within 1 s");
    assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void asyncHandler_decidesOnTheEventLoop() throws Exception {
    AdmissionWebhook<?> webhook =
        new Webhooks("greeter")
            .mutatingAsync(
                V1ConfigMap.class,
                WebhookOptions.DEFAULT,
                request -> {
                  request.object().putDataItem("b", "2");
                  return Future.succeededFuture(AdmissionResponse.patched(request.object()));
                })
            .admission()
            .getFirst();

    JsonObject response = reviewed(webhook, admission("{\"data\":{\"a\":\"1\"}}"));

    assertThat(response.get("patchType").getAsString()).isEqualTo("JSONPatch");
    assertThat(patch(response).toString())
        .isEqualTo("[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"}]");
  }

  @Test
  void patch_keepsFieldsThatTheClassDoesNotHave() throws Exception {
    AdmissionWebhook<?> webhook =
        new Webhooks("boxes")
            .mutating(
                NewBox.class,
                request -> {
                  NewBox box = request.object();
                  box.spec = new NewBox.Spec(7, null);
                  return AdmissionResponse.patched(box);
                })
            .admission()
            .getFirst();

    JsonObject response =
        reviewed(
            webhook,
            admission("{\"spec\":{\"replicas\":1,\"note\":\"x\",\"future\":[1]},\"extra\":true}"));

    assertThat(patch(response).toString())
        .isEqualTo(
            "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":7},"
                + "{\"op\":\"remove\",\"path\":\"/spec/note\"}]");
  }

  @Test
  void difference_isOfTheMembersThatDiffer() {
    JsonArray patch =
        JsonDifference.between(
            json("{\"list\":[{\"a\":1},{\"a\":2},{\"a\":3}],\"a/b\":1}"),
            json("{\"list\":[{\"a\":1},{\"a\":5},{\"a\":3}],\"shown\":{\"x\":1},\"a/b\":2}"));

    assertThat(patch.toString())
        .isEqualTo(
            "[{\"op\":\"replace\",\"path\":\"/list/1/a\",\"value\":5},"
                + "{\"op\":\"replace\",\"path\":\"/a~1b\",\"value\":2},"
                + "{\"op\":\"add\",\"path\":\"/shown\",\"value\":{\"x\":1}}]");
  }

  /** Containers of a newer server keep its fields when they are reordered, and one is replaced. */
  @Test
  void patch_keepsFieldsThatTheClassDoesNotHave_inListsThatChange() throws Exception {
    AdmissionWebhook<?> webhook =
        new Webhooks("pods")
            .mutating(
                V1Pod.class,
                request -> {
                  V1PodSpec spec = Objects.requireNonNull(request.object().getSpec());
                  V1Container first = spec.getContainers().getFirst();
                  V1Container second = new V1Container().name("b").image("y");
                  spec.setContainers(List.of(second, new V1Container().name("c"), first));
                  return AdmissionResponse.patched(request.object());
                })
            .admission()
            .getFirst();

    JsonObject response =
        reviewed(
            webhook,
            admission(
                "{\"spec\":{\"containers\":[{\"name\":\"a\",\"new\":1},"
                    + "{\"name\":\"b\",\"new\":2}]}}"));

    assertThat(patch(response).toString())
        .contains("{\"name\":\"b\",\"new\":2,\"image\":\"y\"}")
        .contains("{\"name\":\"a\",\"new\":1}");
  }

  /** A field that the class does not have never moves to another item. */
  @Test
  void difference_ofListsOfOtherLengthOrOrder_removesAndAddsWholeItems() {
    assertThat(listPatch("[{'name':'a'},{'name':'b','n':1}]", "[{'name':'b','n':2}]"))
        .isEqualTo("[{'op':'replace','path':'/l/1/n','value':2},{'op':'remove','path':'/l/0'}]");
    assertThat(listPatch("[{'name':'b'}]", "[{'name':'a'},{'name':'b'}]"))
        .isEqualTo("[{'op':'add','path':'/l/0','value':{'name':'a'}}]");
    assertThat(listPatch("[{'name':'a'},{'name':'b'}]", "[{'name':'b'},{'name':'a'}]"))
        .isEqualTo(
            "[{'op':'remove','path':'/l/1'},{'op':'remove','path':'/l/0'},"
                + "{'op':'add','path':'/l/0','value':{'name':'b'}},"
                + "{'op':'add','path':'/l/1','value':{'name':'a'}}]");
    assertThat(listPatch("[1,2,3]", "[2,3]")).isEqualTo("[{'op':'remove','path':'/l/0'}]");
    assertThat(listPatch("[1]", "[1,2]")).isEqualTo("[{'op':'add','path':'/l/1','value':2}]");
  }

  private static String listPatch(String before, String after) {
    JsonObject from = json("{'l':" + before + "}");
    return JsonDifference.between(from, json("{'l':" + after + "}")).toString().replace('"', '\'');
  }

  @Test
  void asyncHandler_whoseFutureEndsOnAnotherThread_isAnsweredOnTheEventLoop() throws Exception {
    Promise<AdmissionResponse<V1ConfigMap>> decision = Promise.promise();
    AdmissionWebhook<?> decided =
        new Webhooks("greeter")
            .validatingAsync(
                V1ConfigMap.class,
                WebhookOptions.DEFAULT,
                _ -> {
                  Thread.ofVirtual().start(() -> decision.complete(AdmissionResponse.allowed()));
                  return decision.future();
                })
            .admission()
            .getFirst();
    AdmissionWebhook<?> late =
        new Webhooks("greeter")
            .validatingAsync(
                V1ConfigMap.class,
                WebhookOptions.DEFAULT.withTimeout(Duration.ofSeconds(1)),
                _ -> Promise.<AdmissionResponse<V1ConfigMap>>promise().future())
            .admission()
            .getFirst();
    for (AdmissionWebhook<?> webhook : List.of(decided, late)) {
      CompletableFuture<Boolean> same = new CompletableFuture<>();
      Context context = vertx.getOrCreateContext();
      context.runOnContext(_ ->
          webhook
              .review(admission("{}"))
              .onComplete(_ -> same.complete(context.equals(Vertx.currentContext()))));
      assertThat(same.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void twoWebhooksOfOneKindAndClass_areRefused() {
    Webhooks webhooks =
        new Webhooks("greeter").validating(V1ConfigMap.class, r -> AdmissionResponse.allowed());

    assertThatThrownBy(
            () -> webhooks.validating(V1ConfigMap.class, r -> AdmissionResponse.allowed()))
        .hasMessage(
            "controller greeter declares two validating webhooks for configmaps;"
                + " one of them receives the objects of all versions");
    assertThat(webhooks.admission().getFirst().name())
        .isEqualTo("validate.configmaps.greeter.coxswain.dev");
  }
}
