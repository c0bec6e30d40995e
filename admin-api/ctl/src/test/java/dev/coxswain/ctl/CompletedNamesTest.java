// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code __complete} prints the names that may come next, and nothing when they cannot be read. */
class CompletedNamesTest {

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  CompletedNamesTest() throws IOException {
    server.on(
        "GET /controllers",
        200,
        "{\"items\":[{\"name\":\"cart\"},{\"name\":\"cron\"},{\"name\":\"$(reboot)\"},{\"name\":\"a b\"}]}");
    server.on("GET /replicas", 200, "{\"items\":[{\"replica\":\"coxswain-0\"}]}");
    server.on("GET /limiters", 200, "{\"items\":[{\"name\":\"default\"}]}");
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void names_areOfTheKindThatComesNext() {
    assertThat(completed("pause", "")).containsExactly("cart", "cron");
    assertThat(completed("pause", "cart", "")).containsExactly("cron");
    assertThat(completed("-n", "x", "explain", "cr")).containsExactly("cron");
    assertThat(completed("get", "items", "ca")).containsExactly("cart");
    assertThat(completed("get", "controllers", "controller/ca")).containsExactly("controller/cart");
    assertThat(completed("wait", "controller/ca")).containsExactly("controller/cart");
    assertThat(completed("limiters", "set", "")).containsExactly("default");
    assertThat(completed("drain", "")).containsExactly("coxswain-0");
    assertThat(completed("get", "slots", "--owner", "c")).containsExactly("coxswain-0");
    assertThat(completed("get", "items", "cart", "--replica=c")).containsExactly("coxswain-0");
    assertThat(completed("top", "")).isEmpty();
    assertThat(completed("get", "")).isEmpty();
    assertThat(completed("pause", "--rea")).isEmpty();
    assertThat(completed("enqueue", "cart", "")).isEmpty();
    assertThat(completed("nope", "")).isEmpty();
    assertThat(completed()).isEmpty();
  }

  @Test
  void causes_areThoseOfTheControllerThatIsNamed() {
    server.on(
        "GET /controllers/cart/causes",
        200,
        "{\"items\":[{\"id\":\"5f2a91b0c3d4\"},{\"id\":\"523a20413155\"}]}");
    assertThat(completed("pause", "cart", "--cause", "52")).containsExactly("523a20413155");
    assertThat(completed("resume", "cart", "--cause=")).hasSize(2);
    assertThat(completed("retry", "controller/cart", "-A", "--cause", "5f"))
        .containsExactly("5f2a91b0c3d4");
    assertThat(completed("get", "items", "cart", "--cause", "5")).hasSize(2);
    assertThat(completed("pause", "--cause", "5")).isEmpty();
  }

  @Test
  void items_areThoseOfTheNamespace_andAtMostAHundred() {
    String some =
        IntStream.range(0, 150)
            .mapToObj(i -> "{\"key\":{\"namespace\":\"shop\",\"name\":\"cart-" + i + "\"}}")
            .collect(Collectors.joining(",", "{\"items\":[", "]}"));
    String items = "GET /controllers/demo/items?namespace=shop&name=cart*&limit=100";
    server.on(items.replace("*", "%2A"), 200, some);
    server.on(items, 200, some);
    assertThat(completed("retry", "demo", "-n", "shop", "cart")).hasSize(100).startsWith("cart-0");
    assertThat(completed("get", "items", "demo", "shop/cart"))
        .hasSize(100)
        .startsWith("shop/cart-0");
  }

  @Test
  void aFailure_printsNothing_andNothingIsAwaited() {
    server.on(
        "GET /plugins",
        new FakeAdminApi.Reply(429, Map.of("Retry-After", "1"), "{\"title\":\"Too many\"}", false));
    assertThat(completed("plugin", "deploy", "")).isEmpty();
    assertThat(completed("get", "operations", "")).isEmpty();
    CtlRunner alone = new CtlRunner().with("COXSWAIN_SERVER", "http://127.0.0.1:1");
    assertThat(alone.run("__complete", "pause", "")).isZero();
    assertThat(alone.output() + alone.errors()).isEmpty();
  }

  private List<String> completed(String... words) {
    String[] line = new String[words.length + 1];
    line[0] = "__complete";
    System.arraycopy(words, 0, line, 1, words.length);
    assertThat(ctl.run(line)).isZero();
    assertThat(ctl.errors()).isEmpty();
    assertThat(ctl.waits()).isEmpty();
    return ctl.output().lines().toList();
  }
}
