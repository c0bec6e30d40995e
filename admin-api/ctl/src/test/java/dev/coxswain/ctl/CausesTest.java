// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From ten thousand failing objects to the command that retries those of one cause. */
class CausesTest {

  private static final String CAUSE =
      """
      {"id":"5f2a91b0c3d4","controller":"checkout","items":8214,"share":0.821,"failures":91322,\
      "firstSeen":"2026-11-20T09:00:00Z","lastSeen":"2026-11-20T09:59:55Z","trend":[],\
      "error":"Quota: used up by <name>","types":["shop.Quota"],"where":"shop.Checkout.reconcile",\
      "samples":[{"id":"x","key":{"namespace":"payments","name":"checkout-7"}}]}\
      """;
  private static final String LIST =
      """
      {"kind":"CauseList","replica":"coxswain-0","partial":false,"replicas":[],"total":7,"failing":10000,"items":[%s]}\
      """
          .formatted(CAUSE);

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  CausesTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void causes_areListed_ofAllControllersAndOfOne() {
    server.on("GET /causes?limit=500", 200, LIST);
    server.on("GET /controllers/checkout/causes?limit=5", 200, LIST);
    assertThat(ctl.run("get", "causes")).isZero();
    assertThat(ctl.output())
        .contains("CAUSE", "SHARE", "5f2a91b0c3d4", "checkout", "8214", "82%", "91322")
        .contains("Quota: used up by <name>");
    assertThat(ctl.run("get", "causes", "controller/checkout", "--limit=5", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("cause/5f2a91b0c3d4\n");
  }

  @Test
  void oneCause_isShownByItsId() {
    server.on(
        "GET /controllers/checkout/causes/5f2a91b0c3d4",
        200,
        CAUSE.replaceFirst("\\{", "{\"kind\":\"Cause\",\"stack\":\"Quota\\\\n\\\\tat Checkout\","));
    assertThat(ctl.run("get", "cause", "checkout", "cause/5f2a91b0c3d4", "-o", "yaml")).isZero();
    assertThat(ctl.output()).contains("stack:", "at Checkout");
  }

  @Test
  void withoutAnyFailure_itSaysSo() {
    server.on("GET /causes?limit=500", 200, "{\"kind\":\"CauseList\",\"total\":0,\"items\":[]}");
    assertThat(ctl.run("get", "causes")).isZero();
    assertThat(ctl.errors()).contains("Nothing fails, nor has failed in the last day.");
  }

  @Test
  void itemsOfACause_areSelected_byTheFlag() {
    server.on(
        "GET /controllers/checkout/items?cause=5f2a91b0c3d4&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"items\":[]}");
    assertThat(ctl.run("get", "items", "checkout", "-A", "--cause=5f2a91b0c3d4")).isZero();
    assertThat(ctl.errors()).contains("No matching items of controller checkout");
  }

  @Test
  void aCause_isPausedAndResumed_andNothingElseOfItsController() {
    server.on(
        "POST /controllers/checkout/pause",
        200,
        """
        {"kind":"Controller","name":"checkout","result":"applied","paused":false,"pausedCauses":\
        [{"cause":"5f2a91b0c3d4","until":"2026-11-20T11:00:00Z"}]}\
        """);
    server.on(
        "POST /controllers/checkout/resume",
        200,
        "{\"kind\":\"Controller\",\"name\":\"checkout\",\"result\":\"applied\"}");
    assertThat(ctl.run("pause", "checkout", "--cause=5f2a91b0c3d4", "--for=1h", "--reason=x"))
        .isZero();
    assertThat(server.received().getLast().body())
        .contains("\"cause\":\"5f2a91b0c3d4\"", "\"duration\":\"1h\"");
    assertThat(ctl.output())
        .startsWith("controller/checkout cause 5f2a91b0c3d4 paused until 2026-11-20");
    assertThat(ctl.run("resume", "checkout", "--cause=5f2a91b0c3d4", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/checkout cause 5f2a91b0c3d4 resumed\n");
  }
}
