// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code get --sort-by} orders by any field, and lists the fields in errors. */
class SortByTest {

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  SortByTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String item(String name) {
    return "{\"key\":{\"namespace\":\"shop\",\"name\":\"" + name + "\"}}";
  }

  private static String named(String name, String fields) {
    return "{\"name\":\"%s\"%s}".formatted(name, fields);
  }

  private static final String ROWS =
      String.join(
          ",",
          named("item-10", ",\"tokens\":2.5,\"degraded\":true,\"at\":\"2026-11-20T10:00:00.5Z\""),
          named("item-9", ",\"tokens\":10,\"degraded\":false,\"at\":\"2026-11-20T10:00:00Z\""),
          named("other", ",\"part\":{\"tokens\":-1},\"parts\":[]"),
          named("item-1", ",\"tokens\":2.5"));

  private String sorted(String field, String... more) {
    List<String> line = new ArrayList<>(List.of("get", "limiters", "-o", "name", "--sort-by"));
    line.add(field);
    line.addAll(List.of(more));
    assertThat(ctl.run(line.toArray(String[]::new))).as(ctl.errors()).isZero();
    return ctl.output().replace("limiter/", "").replace('\n', ' ').strip();
  }

  @Test
  void numbersTimesAndTexts_areComparedAsWhatTheyAre() {
    server.on("GET /limiters", 200, "{\"items\":[%s]}".formatted(ROWS));
    assertThat(sorted(".name")).isEqualTo("item-1 item-9 item-10 other");
    assertThat(sorted("{.tokens}")).as("equal ones stay").isEqualTo("other item-10 item-1 item-9");
    assertThat(sorted("degraded")).isEqualTo("other item-1 item-9 item-10");
    assertThat(sorted("{at}")).isEqualTo("other item-1 item-9 item-10");
    assertThat(sorted(".part.tokens")).isEqualTo("item-10 item-9 item-1 other");
    assertThat(sorted(".part['tokens']")).isEqualTo("item-10 item-9 item-1 other");
  }

  @Test
  void theOrder_isOverAllPages_andALimitShowsTheFirst() {
    server.on(
        "GET /controllers/demo/items?limit=500",
        200,
        "{\"items\":[%s],\"continue\":\"c1\"}".formatted(item("b")));
    server.on(
        "GET /controllers/demo/items?limit=500&continue=c1",
        200,
        "{\"items\":[%s,%s]}".formatted(item("c"), item("a")));
    String[] line = "get items demo -A --sort-by .key.name -o name --limit 2".split(" ");
    assertThat(ctl.run(line)).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/a\nitem/shop/b\n");
    assertThat(ctl.errors()).isEqualTo("note: there are more than the first 2\n");
  }

  @Test
  void theOrder_holdsForThoseThatAreNamed() {
    server.on("GET /limiters/item-10", 200, named("item-10", ""));
    server.on("GET /limiters/item-9", 200, named("item-9", ""));
    assertThat(ctl.run("get", "limiters", "item-10", "item-9", "--sort-by=.name", "-o", "name"))
        .isZero();
    assertThat(ctl.output()).isEqualTo("limiter/item-9\nlimiter/item-10\n");
  }

  @Test
  void whatIsNoFieldOfAnything_isRefused() {
    server.on("GET /limiters", 200, "{\"items\":[%s]}".formatted(ROWS));
    assertThat(ctl.run("get", "limiters", "--sort-by", ".part.token")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo(
            "error: flag --sort-by: none of these limiters has a field .part.token, did you mean"
                + " \".part.tokens\"? (known: .at, .degraded, .name, .part.tokens, .tokens)\n");
    assertThat(ctl.output()).isEmpty();
    for (String list : new String[] {".part", ".parts"}) {
      assertThat(ctl.run("get", "limiters", "--sort-by", list)).as(list).isEqualTo(1);
      assertThat(ctl.errors()).contains(list + " is not a single value");
    }
    int before = server.received().size();
    for (String broken : new String[] {"", ".", "{.name", ".parts[x].name", "{.a}{.b}", "..."}) {
      assertThat(ctl.run("get", "limiters", "--sort-by", broken)).as(broken).isEqualTo(1);
      assertThat(ctl.errors()).contains("error: flag --sort-by: position ");
    }
    assertThat(server.received()).hasSize(before);
  }

  @Test
  void nothing_isInOrder() {
    server.on("GET /limiters", 200, "{\"items\":[]}");
    assertThat(ctl.run("get", "limiters", "--sort-by", ".name")).isZero();
    assertThat(ctl.errors()).isEqualTo("No limiters found.\n");
  }
}
