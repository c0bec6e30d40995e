// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One object, and a row of each controller. */
class FindTest {

  private static final String KEY =
      "\"id\":\"c2hvcC9jYXJ0LTc\",\"key\":{\"namespace\":\"shop\",\"name\":\"cart-7\"},\"conditions\":[]";
  private static final String ITEMS =
      """
      "items":[{"kind":"Explanation","controller":"checkout",%s,"reason":"backoff","message":"Failed 9 times in a row; \
      the next attempt is due at 2026-11-20T10:02:11Z and then takes a token of limiter \\"default\\".",\
      "replica":"coxswain-1","item":{"phase":"delayed","failures":9,"readyAt":"2026-11-20T10:02:11Z"}},\
      {"kind":"Explanation","controller":"nodes",%s,"reason":"unknownName","message":"Check both.",\
      "replica":"coxswain-0"}]\
      """
          .formatted(KEY, KEY);

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  FindTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private void reply(String query, String fields) {
    server.on(
        "GET /objects?" + query,
        200,
        "{\"kind\":\"ExplanationList\",\"key\":{\"namespace\":\"shop\",\"name\":\"cart-7\"},"
            + "\"replica\":\"coxswain-0\",\"replicas\":[],"
            + fields
            + ","
            + ITEMS
            + "}");
  }

  @Test
  void eachController_isARow_withItsWholeMessage() throws IOException {
    reply("name=cart-7&namespace=shop", "\"partial\":false");
    for (String[] line : new String[][] {{"shop/cart-7"}, {"cart-7", "-n", "shop"}}) {
      String[] words = new String[line.length + 1];
      words[0] = "find";
      System.arraycopy(line, 0, words, 1, line.length);
      assertThat(ctl.run(words)).isZero();
      assertThat(ctl.output().lines())
          .satisfiesExactly(
              head -> assertThat(head).isEqualTo(sampleHeader()),
              row ->
                  assertThat(row)
                      .matches(
                          "checkout +backoff +in .* +coxswain-1 +Failed 9 times .* of limiter \"default\"\\."),
              row ->
                  assertThat(row).matches("nodes +unknownName +<none> +coxswain-0 +Check both\\."));
      assertThat(ctl.errors()).isEmpty();
    }
  }

  /** Returns the headers in the guide, with the widths of this output. */
  private String sampleHeader() throws IOException {
    String guide =
        Files.readString(
            Path.of(System.getProperty("basedir", "."), "..", "..", "docs", "guides", "ctl.md"));
    String header = guide.replaceFirst("(?s).*?\\$ coxswain ctl find [^\n]*\n([^\n]*)\n.*", "$1");
    String shown = ctl.output().lines().findFirst().orElse("");
    assertThat(shown.split(" +")).containsExactly(header.split(" +"));
    return shown;
  }

  @Test
  void whatIsMissing_orLeftOut_isReported() {
    reply("name=cart-7&namespace=shop", "\"partial\":true,\"unread\":[\"stock\"]");
    assertThat(ctl.run("find", "shop/cart-7")).isEqualTo(2);
    assertThat(ctl.errors()).contains("No explanation of: stock.");
    assertThat(ctl.run("find", "shop/cart-7", "-o", "json")).isEqualTo(2);
    assertThat(ctl.errors()).contains("nothing could be read of: stock");
    reply("name=cart-8&namespace=shop", "\"partial\":false,\"hidden\":2");
    assertThat(ctl.run("find", "shop/cart-8")).isZero();
    assertThat(ctl.errors()).contains("Left out for want of a right: 2 controllers.");
  }

  @Test
  void formatsAndFlags_areThoseOfLists() {
    reply("name=cart-7&controller=checkout%2Cnodes", "\"partial\":false");
    assertThat(ctl.run("find", "/cart-7", "-c", "checkout,nodes", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/checkout\ncontroller/nodes\n");
    assertThat(ctl.run("find", "/cart-7", "-c", "checkout,nodes", "-o", "json")).isZero();
    assertThat(ctl.output()).contains("\"kind\": \"ExplanationList\"", "\"reason\": \"backoff\"");
  }

  @Test
  void oneObject_isExpected() {
    assertThat(ctl.run("find")).isEqualTo(1);
    assertThat(ctl.errors()).contains("expected an object: find [NAMESPACE/]NAME");
    assertThat(ctl.run("find", "checkout", "cart-7")).isEqualTo(1);
    assertThat(ctl.errors()).contains("--controller selects controllers");
    assertThat(ctl.run("find", "shop/cart-7", "-n", "shop")).isEqualTo(1);
  }
}
