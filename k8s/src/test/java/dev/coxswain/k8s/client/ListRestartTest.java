// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.testing.CannedServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists whose version a server forgets between two pages. */
class ListRestartTest {

  private static final String EXPIRED =
      "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"compacted\"}";

  private final Queue<String> answers = new ArrayDeque<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private CannedServer server;
  private Resource<V1ConfigMap> maps;

  @BeforeEach
  void start() {
    server =
        new CannedServer(exchange -> {
          requests.add(String.valueOf(exchange.getRequestURI().getQuery()));
          String answer = answers.remove();
          return new CannedServer.Answer(answer.equals(EXPIRED) ? 410 : 200, answer);
        });
    maps =
        new Resource<>(
            new ApiTransport(
                new ApiClient().setBasePath(server.url()),
                KubernetesOptions.DEFAULT.withPageSize(2)),
            ResourceType.of(V1ConfigMap.class));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String page(String version, String token, String... names) {
    StringBuilder items = new StringBuilder();
    for (String name : names) {
      items.append(items.isEmpty() ? "" : ",").append("{\"metadata\":{\"name\":\"" + name + "\"}}");
    }
    return "{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"%s\",\"continue\":\"%s\"},\"items\":[%s]}"
        .formatted(version, token, items);
  }

  private List<String> names() {
    return maps.list(ListOptions.ALL.labels("a=b")).stream()
        .map(map -> String.valueOf(ConfigMaps.meta(map).getName()))
        .toList();
  }

  @Test
  void listThatExpiresBetweenPages_isReadAnewAsAWhole_andMixesNothing() {
    answers.add(page("5", "t1", "old", "x"));
    answers.add(EXPIRED);
    answers.add(page("9", "", "x", "y", "z"));

    assertThat(names()).containsExactly("x", "y", "z");
    assertThat(requests.get(0)).contains("limit=2").doesNotContain("continue=");
    assertThat(requests.get(1)).contains("limit=2").contains("continue=t1");
    assertThat(requests.get(2)).isEqualTo("labelSelector=a=b");
  }

  @Test
  void listThatExpiresAgain_fails_insteadOfGoingRoundForEver() {
    answers.add(page("5", "t1", "old"));
    answers.add(EXPIRED);
    answers.add(EXPIRED);

    assertThatThrownBy(this::names)
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isExpired()).isTrue());
    assertThat(requests).hasSize(3);
  }

  @Test
  void firstPageThatExpires_isNotReadAgain() {
    answers.add(EXPIRED);

    assertThatThrownBy(this::names).isInstanceOf(ApiStatusException.class);
    assertThat(requests).hasSize(1);
  }
}
