// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.e2e.process.ClusterViews;
import java.util.ArrayList;
import java.util.List;

/**
 * What the replicas of a {@link DashboardRun} answer for all of them, before and after one was killed in the middle of
 * an operation. Its items are those of the controller that is left alone meanwhile.
 */
final class ClusterView extends ClusterViews {

  private static final String INVOICES = "/api/v1/controllers/invoices";
  private static final List<String> WITHOUT_ONE = List.of("ok", "unreachable", "ok");

  /** The items of each replica; one was dropped. */
  private static final List<Integer> ITEMS = List.of(40, 39, 40);

  private static final int SUM = 119;

  private String operation = "";
  private String place = "";

  ClusterView(DashboardRun run) {
    token = DashboardRun.ADMIN;
    admins.addAll(run.admins);
  }

  /** Any of them answers for all. */
  void isWhole() throws Exception {
    assertThat(get(0, "/api/v1/controllers").path("items").findValuesAsText("name"))
        .as("without the examples")
        .containsOnly("checkout", "invoices");
    for (int via = 0; via < admins.size(); via++) {
      int replica = via;
      await(
          "all three to be seen by each",
          () -> states(get(replica, REPLICAS)).equals(List.of("ok", "ok", "ok")));
      await("the items of all", () -> get(replica, INVOICES).path("total").asInt() == SUM);
    }
    List<String> all = walk();
    assertThat(all).hasSize(SUM).doesNotHaveDuplicates();
  }

  /** Begins an operation, and goes to the items of the second one; there it is killed. */
  void begin() throws Exception {
    place = placeAtTheItemsOf("coxswain-1");
    operation = "/api/v1/operations/" + beginRequeue().path("id").asText();
  }

  /** The others say that the second one is missing. */
  void isPartial() throws Exception {
    for (int via : new int[] {0, 2}) {
      JsonNode known =
          awaited(
              "the parts of those left",
              () -> get(via, operation),
              shown ->
                  shown
                      .path("parts")
                      .findValuesAsText("state")
                      .equals(List.of("Running", "Unknown", "Running")));
      assertThat(known.path("state").asText()).isEqualTo("Running");
      JsonNode controller =
          awaited(
              "the killed one alone to be missing",
              () -> get(via, INVOICES),
              shown -> states(shown).equals(WITHOUT_ONE));
      assertThat(controller.path("partial").asBoolean()).isTrue();
      assertThat(controller.path("total").asInt()).isEqualTo(ITEMS.get(0) + ITEMS.get(2));
    }
    JsonNode stopped = answer(2, "DELETE", operation, "{\"reason\":\"enough\"}", 200);
    assertThat(stopped.path("parts").findValuesAsText("state"))
        .containsExactly("Cancelled", "Unknown", "Cancelled");
    // The order itself is on record where it was taken.
    assertThat(get(0, "/api/v1/audit?action=bulk-requeue").path("items").toString())
        .contains(operation.substring(operation.lastIndexOf('/') + 1), "intent");
    JsonNode left =
        awaited(
            "the items of those left",
            () -> get(2, INVOICES + "/items?limit=500"),
            shown -> states(shown).equals(WITHOUT_ONE));
    assertThat(left.path("items")).hasSize(ITEMS.get(0) + ITEMS.get(2));
    assertThat(left.path("partial").asBoolean()).isTrue();
    JsonNode lost = answer(2, "GET", INVOICES + "/items?limit=30&continue=" + place, "", 410);
    assertThat(lost.path("replica").asText()).isEqualTo("coxswain-1");
    JsonNode rest =
        get(0, INVOICES + "/items?limit=500&continue=" + lost.path("continue").asText());
    assertThat(rest.path("partial").asBoolean()).isTrue();
    assertThat(rest.path("items").findValuesAsText("replica"))
        .hasSize(ITEMS.get(2))
        .containsOnly("coxswain-2");
  }

  /** Returns the place in a walk where the items of a replica begin. */
  private String placeAtTheItemsOf(String replica) throws Exception {
    JsonNode page = whole(0, INVOICES + "/items?limit=30");
    while (true) {
      String place = page.path("continue").asText();
      page = whole(0, INVOICES + "/items?limit=30&continue=" + place);
      if (page.path("items").findValuesAsText("replica").contains(replica)) {
        return place;
      }
    }
  }

  /** Begins an operation of one item per second on every replica, through the first one. */
  private JsonNode beginRequeue() throws Exception {
    String order =
        "\"action\":\"requeue\",\"delay\":\"1h\",\"itemsPerSecond\":1,\"all\":true,"
            + "\"reason\":\"INC-6\"}";
    String path = INVOICES + "/operations";
    JsonNode preview =
        awaited(
            "a preview of all",
            () -> answer(0, "POST", path, "{\"dryRun\":true," + order, 200),
            shown -> shown.path("matched").asInt() == SUM);
    String confirm = "{\"confirmToken\":\"" + preview.path("confirmToken").asText() + "\"," + order;
    JsonNode begun = answer(0, "POST", path, confirm, 202);
    assertThat(begun.path("parts").findValuesAsText("state"))
        .containsExactly("Running", "Running", "Running");
    return begun;
  }

  /** Lists all items, with requests to the replicas in turn. */
  private List<String> walk() throws Exception {
    List<String> all = new ArrayList<>();
    String place = "";
    int page = 0;
    do {
      JsonNode json =
          whole(
              page++ % admins.size(),
              INVOICES + "/items?limit=30" + (place.isEmpty() ? "" : "&continue=" + place));
      json.path("items").forEach(item -> all.add(named(item)));
      place = json.path("continue").asText("");
    } while (!place.isEmpty());
    return all;
  }

  private static String named(JsonNode item) {
    return item.path("replica").asText() + "/" + item.path("id").asText();
  }
}
