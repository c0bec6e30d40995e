// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PagingTest {

  private static final String ITEMS = Api.DEMO + "/items";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private void put(int count) {
    for (int i = 0; i < count; i++) {
      api.demo.put("n" + i % 3, "item-" + i, Phase.DELAYED, i % 2, null);
    }
  }

  private String cursor(String query) {
    return api.get(ITEMS + query).ok(200).path("continue").asText();
  }

  @Test
  void aWalk_showsEverySurvivorExactlyOnce_whileItemsComeAndGo() {
    put(230);
    List<String> seen = new ArrayList<>();
    String next = "";
    int page = 0;
    do {
      JsonNode json = api.get(ITEMS + "?limit=17" + next).ok(200);
      seen.addAll(json.path("items").findValuesAsText("id"));
      next = json.has("continue") ? "&continue=" + json.path("continue").asText() : "";
      api.demo.put("late", "late-" + page, Phase.READY, 0, null);
      api.demo.remove(new dev.coxswain.view.ItemId("gone", "gone-" + page).encoded());
      page++;
    } while (!next.isEmpty());
    assertThat(seen).doesNotHaveDuplicates();
    List<String> survivors = new ArrayList<>();
    for (int i = 0; i < 230; i++) {
      survivors.add(new dev.coxswain.view.ItemId("n" + i % 3, "item-" + i).encoded());
    }
    assertThat(seen).containsAll(survivors);
  }

  @Test
  void theLastPage_hasNoContinue() {
    put(3);
    assertThat(api.get(ITEMS + "?limit=3").ok(200).has("continue")).isFalse();
    assertThat(api.get(ITEMS + "?limit=2").ok(200).has("continue")).isTrue();
  }

  @Test
  void theLimit_mayChangeDuringAWalk() {
    put(5);
    String next = cursor("?limit=2");
    assertThat(api.get(ITEMS + "?limit=500&continue=" + next).ok(200).path("items")).hasSize(3);
  }

  @Test
  void aCursorOfAnotherFilter_isRefused() {
    put(10);
    String next = cursor("?limit=2&namespace=n0");
    for (String other :
        List.of("", "&namespace=n1", "&namespace=n0&failing=true", "&name=n0", "&phase=delayed")) {
      var problem = api.get(ITEMS + "?continue=" + next + other).problem(400, "invalid-cursor");
      assertThat(problem.at("/errors/0/parameter").asText()).isEqualTo("continue");
    }
    api.get(ITEMS + "?namespace=n0&continue=" + next).ok(200);
  }

  @Test
  void aCursorOfAnotherController_isRefused() {
    put(10);
    try (FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      api.get("/api/v1/controllers/other/items?continue=" + cursor("?limit=2"))
          .problem(400, "invalid-cursor");
    }
  }

  @Test
  void aForgedCursor_isRefused() {
    put(10);
    String good = cursor("?limit=2");
    for (int i = 24; i < good.length() - 1; i++) {
      char c = good.charAt(i) == 'A' ? 'B' : 'A';
      String forged = good.substring(0, i) + c + good.substring(i + 1);
      api.get(ITEMS + "?continue=" + forged).problem(400, "invalid-cursor");
    }
    for (String nonsense : List.of("", "AAAA", "%21%21", "x".repeat(200), good + "AAAA")) {
      api.get(ITEMS + "?continue=" + nonsense).problem(400, "invalid-cursor");
    }
  }

  @Test
  void aCursorOfAnEarlierRun_hasExpired() {
    put(10);
    String next = cursor("?limit=2");
    api.demo.startedAt = FakeController.START.plusSeconds(1);
    api.get(ITEMS + "?continue=" + next).problem(410, "cursor-expired");
    try (Api restarted = new Api()) {
      restarted.get(ITEMS + "?continue=" + next).problem(410, "cursor-expired");
    }
  }
}
