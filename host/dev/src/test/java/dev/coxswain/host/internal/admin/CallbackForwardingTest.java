// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.callback.CallbackAuthentication;
import dev.coxswain.k8s.callback.CallbackServer;
import dev.coxswain.k8s.callback.HttpCallbackOptions;
import dev.coxswain.k8s.callback.HttpCallbackSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two hosts receive callbacks for a sharded controller, each for all keys: on ports of their sources
 * over HTTP, or on the servers of the hosts over TLS.
 */
@Order(1) // takes long
class CallbackForwardingTest extends ReplicaFixture {

  /**
   * So many that the first replica owns some whichever six of the 64 slots it keeps: with 40 keys
   * one run in fifty had none.
   */
  private static final List<String> KEYS =
      IntStream.range(0, 400).mapToObj(number -> "key-" + number).toList();

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http =
      vertx.createHttpClient(new HttpClientOptions().setTrustAll(true).setVerifyHost(false));
  private boolean shared;
  private final Called one = new Called("one", 10);
  private final Called two = new Called("two", 90);

  @AfterEach
  void closeClient() {
    http.close().await();
    vertx.close().await();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallForKeysOfBoth_isAcceptedByEither_andEachKeyIsReconciledByItsOwner(boolean server) {
    shared = server;
    one.start();
    two.start(); // it receives most slots at once: the first has far more than its share
    Admin.await(() -> one.replica.areSlotsAtRest(64, 8));
    Admin.await(() -> acceptedByAll(one));
    assertThat(two.reconciled.size()).isGreaterThan(KEYS.size() / 2);
    Admin.await(() -> acceptedByAll(two));
    Set<String> own = Set.copyOf(one.reconciled);
    assertThat(own).as("keys in the few slots of the first").isNotEmpty();

    assertThat(one.call("wrong", KEYS)).isEqualTo(401);
    two.token = "renewed";
    List<String> foreign = KEYS.stream().filter(key -> !own.contains(key)).toList();
    assertThat(one.call("secret", foreign)).as("the owner authenticates it").isEqualTo(503);
    assertThat(one.call("secret", List.copyOf(own))).isEqualTo(202);
    two.token = "secret";
    Admin.await(() -> one.call("secret", foreign) == 202);

    two.replica.stop();
    Admin.await(() -> one.call("secret", KEYS) == 202);
    Admin.await(() -> one.reconciled.containsAll(KEYS));
  }

  /** Returns whether a call with all keys is accepted; each of them is reconciled then. */
  private boolean acceptedByAll(Called receiver) {
    one.reconciled.clear();
    two.reconciled.clear();
    if (receiver.call("secret", KEYS) != 202) {
      return false;
    }
    Admin.await(() -> one.reconciled.size() + two.reconciled.size() >= KEYS.size());
    return true;
  }

  private final class Called implements ControllerDefinition {
    final Set<String> reconciled = ConcurrentHashMap.newKeySet();
    volatile String token = "secret";
    private volatile @Nullable HttpCallbackSource<Request> source;
    private final Replica replica;

    Called(String name, int weight) {
      replica =
          replica(
              name,
              List.of(this),
              "changes.pauses.enabled=false",
              "membership.renewPeriod=200ms",
              "membership.weight=" + weight,
              "webhooks.port=0");
    }

    void start() {
      replica.startUntilReady();
      Admin.await(() -> port() != 0);
    }

    private int port() {
      HttpCallbackSource<Request> running = source;
      return running == null ? 0 : running.port();
    }

    int call(String bearer, List<String> keys) {
      return http.request(
              new RequestOptions()
                  .setSsl(shared)
                  .setMethod(HttpMethod.POST)
                  .setHost("127.0.0.1")
                  .setPort(port())
                  .setURI("/hook")
                  .putHeader("Authorization", "Bearer " + bearer))
          .compose(request -> request.send(String.join(",", keys)))
          .map(HttpClientResponse::statusCode)
          .await();
    }

    @Override
    public String name() {
      return "called";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      HttpCallbackOptions options =
          HttpCallbackOptions.of(0, "/hook", CallbackAuthentication.bearer(() -> token));
      Function<Buffer, List<Request>> keys =
          body ->
              Arrays.stream(body.toString().split(",", -1))
                  .map(name -> Request.of("default", name))
                  .toList();
      HttpCallbackSource<Request> created =
          shared
              ? new HttpCallbackSource<>(environment.get(CallbackServer.class), options, keys)
              : new HttpCallbackSource<>(options, keys);
      source = created;
      return Controller.named("called")
          .watches(created)
          .reconciles((request, context) -> {
            reconciled.add(request.name());
            return Result.done();
          });
    }
  }
}
