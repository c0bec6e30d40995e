// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.testing.SelfSigned;
import io.kubernetes.client.openapi.ApiClient;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.PfxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A connection that breaks after the request and before the response: the API server may have
 * carried out a write, so it is sent once. The HTTP client repeated it, which stored two objects for
 * one create, applied a JSON patch twice and made a stored update a conflict.
 */
class LostResponseTest {

  private static final String PATH = "/api/v1/namespaces/default/configmaps";
  private static final String UNAVAILABLE = "503";

  private final Vertx vertx = Vertx.vertx();
  private final List<String> received = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean unavailable;
  private volatile @Nullable HttpVersion version;

  @TempDir private Path folder;

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** How a request reaches the server. */
  enum Way {
    PLAIN,
    TLS,
    HTTP_2
  }

  record Write(String method, String path, boolean body, String contentType) {
    String request() {
      return method + " " + path;
    }

    @Override
    public String toString() {
      return method
          + path.substring(PATH.length())
          + (body ? " " + contentType : " without a body");
    }
  }

  static List<Write> writes() {
    return List.of(
        new Write("POST", PATH, true, ApiTransport.JSON),
        new Write("PUT", PATH + "/m", true, ApiTransport.JSON),
        new Write("PATCH", PATH + "/m", true, ApiTransport.JSON_PATCH),
        new Write("PATCH", PATH + "/m", true, ApiTransport.MERGE_PATCH),
        new Write("PATCH", PATH + "/m", true, ApiTransport.APPLY_PATCH),
        new Write("PATCH", PATH + "/m/status", true, ApiTransport.STRATEGIC_PATCH),
        new Write("POST", PATH + "/m/eviction", true, ApiTransport.JSON),
        new Write("POST", PATH + "/m/token", false, ApiTransport.JSON),
        new Write("DELETE", PATH + "/m", true, ApiTransport.JSON),
        new Write("DELETE", PATH, false, ApiTransport.JSON));
  }

  static Stream<Arguments> ways() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(true, false).map(guarded -> Arguments.of(way, guarded)));
  }

  /** Answers reads; the response of anything else is lost with its connection. */
  private void handle(HttpServerRequest request) {
    received.add(request.method() + " " + request.path());
    version = request.version();
    request
        .body()
        .onComplete(_ -> {
          if (request.method().name().equals("GET")) {
            request.response().end("{\"kind\": \"Status\"}");
          } else if (unavailable) {
            request.response().setStatusCode(503).putHeader("Retry-After", "0").end(UNAVAILABLE);
          } else {
            request.connection().close();
          }
        });
  }

  private ApiTransport transport(Way way) throws Exception {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    if (way != Way.PLAIN) {
      Path store = folder.resolve("server.p12");
      SelfSigned.add(store, "server", "CN=server", "-ext", "san=ip:127.0.0.1");
      options
          .setSsl(true)
          .setUseAlpn(true)
          .setAlpnVersions(
              way == Way.HTTP_2
                  ? List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
                  : List.of(HttpVersion.HTTP_1_1))
          .setKeyCertOptions(
              new PfxOptions().setPath(store.toString()).setPassword(SelfSigned.PASSWORD));
    }
    HttpServer server =
        vertx.createHttpServer(options).requestHandler(this::handle).listen().await();
    String scheme = way == Way.PLAIN ? "http" : "https";
    ApiClient client = new ApiClient().setVerifyingSsl(false);
    client.setBasePath(scheme + "://127.0.0.1:" + server.actualPort());
    return new ApiTransport(client, KubernetesOptions.DEFAULT);
  }

  private static void send(ApiTransport transport, Write write) {
    transport.write(
        write.method(),
        write.path(),
        Map.of(),
        write.body() ? new JsonObject() : null,
        write.contentType());
  }

  @ParameterizedTest(name = "{0}, guarded: {1}")
  @MethodSource("ways")
  void aWriteWhoseResponseIsLost_isSentOnce_andSaysThatItMayHaveBeenCarriedOut(
      Way way, boolean guarded) throws Exception {
    ApiTransport open = transport(way);
    ApiTransport transport = guarded ? open.guardedBy(WriteGuard.OPEN) : open;
    for (boolean used : new boolean[] {false, true}) {
      for (Write write : writes()) {
        if (used) {
          open.get(PATH, Map.of()); // what fails on a connection that has worked is repeated
        }
        received.clear();
        assertThatThrownBy(() -> send(transport, write))
            .as("%s on a connection that was used: %s", write, used)
            .isInstanceOf(ApiStatusException.class)
            .hasMessageContaining("it may have been carried out");
        assertThat(received).as("%s, used: %s", write, used).containsExactly(write.request());
        assertThat(version)
            .isEqualTo(way == Way.HTTP_2 && !guarded ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1);
      }
    }
  }

  /** The client repeats any request at once when the header has a zero. */
  @Test
  void anUnavailableServer_thatMayBeAskedAtOnce_receivesAWriteOnce() throws Exception {
    unavailable = true;
    ApiTransport transport = transport(Way.PLAIN);
    for (Write write : writes()) {
      received.clear();
      assertThatThrownBy(() -> send(transport, write))
          .isInstanceOf(ApiStatusException.class)
          .hasMessageContaining(UNAVAILABLE);
      assertThat(received).containsExactly(write.request());
    }
  }

  /** It has changed nothing. */
  @Test
  void aReadIsRepeated_onAnotherConnection() throws Exception {
    List<String> paths = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(request -> {
              paths.add(request.path());
              if (paths.size() == 2) {
                request.connection().close();
              } else {
                request.response().end("{\"kind\": \"Status\"}");
              }
            })
            .listen()
            .await();
    ApiClient client = new ApiClient().setBasePath("http://127.0.0.1:" + server.actualPort());
    ApiTransport transport =
        new ApiTransport(client, KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofSeconds(20)));
    transport.get(PATH, Map.of());
    transport.get(PATH, Map.of());
    assertThat(paths).hasSize(3);
  }
}
