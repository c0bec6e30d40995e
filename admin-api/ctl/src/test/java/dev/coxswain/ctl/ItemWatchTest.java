// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code get items -w} prints a line for each item, and one for each change, at a bounded pace. */
class ItemWatchTest {

  private static final String ITEMS = "GET /controllers/demo/items?namespace=shop&limit=500";
  private static final String ITEM = "GET /controllers/demo/items/c2hvcC9h";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  ItemWatchTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aLine_isAddedForWhatHasChanged_andANoteForWhatHasLeft() {
    listed(item("a", "ready", 1), item("b", "ready", 2));
    listed(item("a", "ready", 1), item("b", "inFlight", 3), item("c", "ready", 4));
    listed(item("a", "ready", 1));
    end();
    assertThat(ctl.run("get", "items", "demo", "-n", "shop", "-w")).isEqualTo(1);
    assertThat(ctl.output().lines().map(line -> line.replaceFirst("^(\\S+ +\\S+) .*", "$1")))
        .containsExactly(
            "NAME   PHASE", "a      ready", "b      ready", "b      inFlight", "c      ready");
    assertThat(ctl.errors().lines())
        .containsExactly(
            "note: item/shop/b is no longer listed",
            "note: item/shop/c is no longer listed",
            "Error from server (Forbidden)");
    assertThat(ctl.waits()).hasSize(3).allMatch(Duration.ofSeconds(1)::equals);
  }

  @Test
  void anItemThatMoves_isALine_andNotGone() {
    listed(item("a", "ready", 1).replace("{\"key\"", "{\"replica\":\"x\",\"key\""));
    listed(item("a", "ready", 1).replace("{\"key\"", "{\"replica\":\"y\",\"key\""));
    end();
    assertThat(ctl.run("get", "items", "demo", "-n", "shop", "-w", "-o", "name")).isEqualTo(1);
    assertThat(ctl.output().lines()).hasSize(2);
    assertThat(ctl.errors()).doesNotContain("no longer");
  }

  /** As of a replica that is away for some seconds. */
  @Test
  void whatAMissingReplicaHas_isNotGone() {
    listed(item("a", "ready", 1), item("b", "ready", 2));
    server.on(
        ITEMS,
        200,
        "{\"partial\":true,\"replicas\":[{\"replica\":\"r\",\"state\":\"timeout\"}],\"items\":["
            + item("a", "ready", 1)
            + "]}");
    server.on(ITEMS, 503, "{\"title\":\"No owner\"}");
    listed(item("a", "ready", 1), item("b", "ready", 2));
    end();
    assertThat(ctl.run("get", "items", "demo", "-n", "shop", "-w", "-o", "name")).isEqualTo(1);
    assertThat(ctl.output().lines()).hasSize(2);
    assertThat(ctl.errors())
        .contains("note: reading again: Error from server (No owner)")
        .doesNotContain("no longer");
  }

  @Test
  void aLongList_isReadLessOften_andOneThatIsTooLongNotAtAll() {
    String next = ITEMS + "&continue=2";
    for (String path : List.of(ITEMS, next)) {
      server.on(path, 200, many(path.equals(ITEMS) ? "\"continue\":\"2\"," : "", path.length(), 3));
    }
    server.on(ITEMS, 403, "{\"title\":\"Forbidden\"}");
    assertThat(ctl.run("get", "items", "demo", "-n", "shop", "-w", "-o", "json")).isEqualTo(1);
    assertThat(ctl.waits()).containsExactly(Duration.ofSeconds(2));
    String big = "GET /controllers/demo/items?namespace=big&limit=500";
    server.on(big, 200, many("", 0, 10_001));
    assertThat(ctl.run("get", "items", "demo", "-n", "big", "-w")).isEqualTo(1);
    assertThat(ctl.errors()).contains("more than 10000 items cannot be watched; select fewer");
    assertThat(ctl.waits()).isEmpty();
  }

  @Test
  void namedItems_areWatched_whileTheyAreInNoQueue() {
    String gone =
        "{\"type\":\"https://coxswain.dev/problems/item-not-found\",\"title\":\"Item not found\"}";
    server.on(ITEM, 404, gone);
    server.on(ITEM, 200, item("a", "delayed", 1));
    server.on(ITEM, 404, gone);
    server.on(ITEM, 403, "{\"title\":\"Forbidden\"}");
    assertThat(ctl.run("get", "items", "demo", "shop/a", "-w", "-o", "jsonpath={.phase}{'\\n'}"))
        .isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("delayed\n");
    assertThat(ctl.errors())
        .contains("None of these items is in the queue.", "note: item/shop/a is no longer listed");
  }

  @Test
  void aLimit_isRefused() {
    assertThat(ctl.run("get", "items", "demo", "-w", "--limit", "3")).isEqualTo(1);
    assertThat(ctl.errors()).contains("give either --limit or --watch");
    assertThat(server.received()).isEmpty();
  }

  private void listed(String... items) {
    server.on(ITEMS, 200, "{\"items\":[" + String.join(",", items) + "]}");
  }

  private void end() {
    server.on(ITEMS, 403, "{\"title\":\"Forbidden\"}");
  }

  private static String many(String head, int from, int count) {
    Stream<String> items =
        IntStream.range(from, from + count).mapToObj(i -> item("n" + i, "ready", i));
    return "{" + head + "\"items\":[" + items.collect(Collectors.joining(",")) + "]}";
  }

  private static String item(String name, String phase, int revision) {
    return "{\"key\":{\"namespace\":\"shop\",\"name\":\"%s\"},\"phase\":\"%s\",\"failures\":0,\"rev\":\"%s\"}"
        .formatted(name, phase, revision);
  }
}
