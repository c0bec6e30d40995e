// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.CannedServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A request that waited on its way used to be worked on for half a minute by the server, long after
 * the leader that had sent it gave up: only this side had a limit.
 */
class WriteTimeoutTest {

  private static final Pattern TIMEOUT = Pattern.compile("(?:^|&)timeout=(\\d+)ms(?:&|$)");

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Request key = Request.of("a", "x");
  private final V1ConfigMap map =
      new V1ConfigMap().metadata(new V1ObjectMeta().namespace("a").name("x"));
  private CannedServer server;
  private ApiTransport transport;

  @BeforeEach
  void start() {
    server =
        new CannedServer(exchange -> {
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getQuery());
          return new CannedServer.Answer(
              200, "{\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"a\",\"name\":\"x\"}}");
        });
    transport =
        new ApiTransport(
            new ApiClient().setBasePath(server.url()),
            KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofSeconds(4)));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Resource<V1ConfigMap> maps(ApiTransport transport) {
    return new Resource<>(transport, ResourceType.of(V1ConfigMap.class));
  }

  private static Optional<Long> timeout(String request) {
    Matcher found = TIMEOUT.matcher(request.substring(request.indexOf(' ') + 1));
    return found.find() ? Optional.of(Long.parseLong(found.group(1))) : Optional.empty();
  }

  @Test
  void everyWrite_carriesTheTimeAfterWhichTheServerGivesUp() {
    Resource<V1ConfigMap> maps = maps(transport);

    maps.create(map);
    maps.update(map);
    maps.patch(key, new JsonObject());
    maps.apply(map);
    maps.updateStatus(map);
    maps.delete(key);

    assertThat(requests)
        .hasSize(6)
        .allSatisfy(request -> assertThat(timeout(request)).as(request).contains(4_000L));
  }

  @Test
  void write_carriesWhatTheGuardLeaves_whenThatIsLess() {
    maps(transport.guardedBy(() -> Duration.ofMillis(1_500))).create(map);

    assertThat(timeout(requests.getFirst())).contains(1_500L);
  }

  @Test
  void read_carriesNone() {
    maps(transport).get(key);

    assertThat(timeout(requests.getFirst())).isEmpty();
  }
}
