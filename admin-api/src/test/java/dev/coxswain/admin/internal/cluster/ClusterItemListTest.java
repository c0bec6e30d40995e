// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A walk over the items of all replicas, whichever of them is asked for the next page. */
class ClusterItemListTest {

  private static final String ITEMS = Api.DEMO + "/items?limit=7";

  private final Cluster3 cluster = new Cluster3();
  private final List<FakeController> others = new ArrayList<>();

  @AfterEach
  void close() {
    cluster.close();
    others.forEach(FakeController::close);
  }

  private void fill(int replica, int from, int to) {
    for (int i = from; i < to; i++) {
      cluster.at(replica).demo.put("ns", "r" + replica + "-" + i, Phase.DELAYED, 0, null);
    }
  }

  private static List<String> names(JsonNode page) {
    List<String> names = new ArrayList<>();
    page.path("items")
        .forEach(item ->
            names.add(
                item.path("replica").asText() + "/" + item.path("key").path("name").asText()));
    return names;
  }

  private static String next(String place) {
    return ITEMS + "&continue=" + place;
  }

  /** Walks to the end, asking the replicas in turn. */
  private List<String> walk(String place, int... asked) {
    List<String> all = new ArrayList<>();
    String from = place;
    for (int page = 0; page < 1000; page++) {
      JsonNode json =
          cluster.at(asked[page % asked.length]).get(from.isEmpty() ? ITEMS : next(from)).ok(200);
      all.addAll(names(json));
      from = json.path("continue").asText("");
      if (from.isEmpty()) {
        return all;
      }
    }
    throw new AssertionError("the walk has no end");
  }

  @Test
  void everyItemOfEveryReplica_isShownOnce_replicaByReplica() {
    fill(0, 0, 20);
    fill(1, 0, 5);
    fill(2, 0, 30);
    List<String> all = walk("", 0, 1, 2);
    assertThat(all).hasSize(55).doesNotHaveDuplicates();
    List<String> replicas = all.stream().map(name -> name.substring(0, 10)).distinct().toList();
    assertThat(replicas).containsExactly("coxswain-0", "coxswain-1", "coxswain-2");
  }

  @Test
  void fewItems_areOnePage() {
    fill(0, 0, 2);
    fill(2, 0, 3);
    JsonNode page = cluster.at(1).get(ITEMS).ok(200);
    assertThat(page.path("items")).hasSize(5);
    assertThat(page.has("continue")).isFalse();
    assertThat(page.path("asOf").findValuesAsText("asOfSeq")).containsExactly("2", "0", "3");
    assertThat(cluster.at(1).get(ITEMS + "&fields=phase").ok(200).path("items").path(0).toString())
        .isEqualTo("{\"replica\":\"coxswain-0\",\"phase\":\"delayed\"}");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aWalkBeginsWithItems_whereverThereAreAny(int replica) {
    fill(replica, 0, 9);
    for (int asked = 0; asked < 3; asked++) {
      JsonNode page = cluster.at(asked).get(ITEMS).ok(200);
      assertThat(page.path("items")).as("asked coxswain-%d", asked).hasSize(7);
      assertThat(page.has("withheld")).isFalse();
      assertThat(walk("", asked)).hasSize(9).doesNotHaveDuplicates();
    }
  }

  @Test
  void aPageThatIsNotFull_endsWhereTheNextReplicaHasMoreThanFits() {
    fill(0, 0, 3);
    fill(1, 0, 9);
    fill(2, 0, 2);
    for (int asked = 0; asked < 3; asked++) {
      assertThat(names(cluster.at(asked).get(ITEMS).ok(200))).hasSize(3);
      assertThat(walk("", asked)).hasSize(14).doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void underChurn_everySurvivorIsShownOnce_andNothingTwice(long seed) {
    Random random = new Random(seed);
    Set<String> survivors = new TreeSet<>();
    List<List<String>> victims = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int replica = 0; replica < 3; replica++) {
      for (int i = 0; i < 40; i++) {
        String name = "r" + replica + "-" + i;
        String id = cluster.at(replica).demo.put("ns", name, Phase.DELAYED, 0, null);
        if (random.nextBoolean()) {
          survivors.add("coxswain-" + replica + "/" + name);
        } else {
          victims.get(replica).add(id);
        }
      }
    }
    List<String> shown = new ArrayList<>();
    String place = "";
    int arrivals = 0;
    do {
      JsonNode page =
          cluster.at(random.nextInt(3)).get(place.isEmpty() ? ITEMS : next(place)).ok(200);
      shown.addAll(names(page));
      place = page.path("continue").asText("");
      for (int replica = 0; replica < 3; replica++) {
        List<String> left = victims.get(replica);
        if (!left.isEmpty()) {
          cluster.at(replica).demo.remove(left.remove(random.nextInt(left.size())));
        }
        fill(replica, 1000 + arrivals, 1001 + arrivals);
        arrivals++;
      }
    } while (!place.isEmpty());
    assertThat(shown).as("seed %d", seed).doesNotHaveDuplicates().containsAll(survivors);
  }

  @Test
  void aReplicaThatDiesInTheWalk_isTold_andTheWalkCanGoOnWithTheOthers() {
    fill(0, 0, 10);
    fill(1, 0, 10);
    fill(2, 0, 10);
    List<String> shown = new ArrayList<>();
    JsonNode page = cluster.at(0).get(ITEMS).ok(200);
    while (!names(page).contains("coxswain-1/r1-0") && !names(page).toString().contains("-1/")) {
      shown.addAll(names(page));
      page = cluster.at(0).get(next(page.path("continue").asText())).ok(200);
    }
    shown.addAll(names(page)); // some of coxswain-1
    cluster.kill(1);
    JsonNode gone =
        cluster.at(0).get(next(page.path("continue").asText())).problem(410, "cursor-expired");
    assertThat(gone.path("replica").asText()).isEqualTo("coxswain-1");
    JsonNode rest = cluster.at(2).get(next(gone.path("continue").asText())).ok(200);
    assertThat(rest.path("partial").asBoolean()).isTrue();
    assertThat(rest.path("replicas").path(1).path("state").asText()).isEqualTo("unreachable");
    shown.addAll(names(rest));
    shown.addAll(walk(rest.path("continue").asText(), 0, 2));
    assertThat(shown).doesNotHaveDuplicates();
    assertThat(shown.stream().filter(name -> !name.startsWith("coxswain-1"))).hasSize(20);
  }

  @Test
  void aWalkThatBeganWithoutAReplica_saysSoOnEveryPage() {
    fill(0, 0, 10);
    fill(1, 0, 10);
    cluster.kill(2);
    JsonNode page = cluster.at(0).get(ITEMS).ok(200);
    int pages = 1;
    while (page.has("continue")) {
      assertThat(page.path("partial").asBoolean()).isTrue();
      page = cluster.at(1).get(next(page.path("continue").asText())).ok(200);
      pages++;
    }
    assertThat(page.path("partial").asBoolean()).isTrue();
    assertThat(pages).isGreaterThan(2);
  }

  @Test
  void aControllerThatStartedAgain_endsTheWalk_andIsWalkedAnewByTheFreshOne() {
    fill(0, 0, 10);
    fill(1, 0, 10);
    JsonNode first = cluster.at(2).get(ITEMS).ok(200);
    cluster.at(0).demo.startedAt = FakeController.START.plus(Duration.ofSeconds(1));
    JsonNode gone =
        cluster.at(2).get(next(first.path("continue").asText())).problem(410, "cursor-expired");
    List<String> rest = walk(gone.path("continue").asText(), 2, 1);
    assertThat(new HashSet<>(rest)).hasSize(20).hasSameSizeAs(rest);
  }

  @Test
  void aSilentReplica_isWaitedFor_andThenTheWalkGoesOnWithIt() {
    fill(0, 0, 10);
    JsonNode first = cluster.at(1).get(ITEMS).ok(200);
    cluster.at(0).demo.mood = FakeController.Mood.SILENT;
    String place = first.path("continue").asText();
    JsonNode gone = cluster.at(1).get(next(place)).problem(410, "cursor-expired");
    assertThat(gone.path("continue").asText()).isNotEmpty();
    cluster.at(0).demo.mood = FakeController.Mood.ANSWERS;
    // The place itself is still good.
    assertThat(cluster.at(1).get(next(place)).ok(200).path("items")).hasSize(3);
  }

  @Test
  void whatIsNoPlace_isRefused() {
    fill(0, 0, 10);
    String place = cluster.at(0).get(ITEMS).ok(200).path("continue").asText();
    for (String bad :
        List.of("w1.", "w1.x", "w1.x.y", place + "0", place.replace('a', 'b') + "1", "w1..0")) {
      cluster.at(0).get(next(bad)).problem(400, "invalid-cursor");
    }
    cluster.at(0).get(next(place) + "&namespace=other").problem(400, "invalid-cursor");
  }

  /** A position at the beginning of a replica's part has no signed one of that replica in it. */
  @Test
  void aPlaceOfAnotherFilter_orOfAnotherController_isRefusedByEveryReplica() {
    fill(0, 0, 7);
    fill(1, 0, 9);
    String of = ITEMS + "&namespace=ns&phase=delayed";
    String place = cluster.at(0).get(of).ok(200).path("continue").asText();
    assertThat(place).isNotEmpty();
    for (Api api : cluster.apis) {
      FakeController other = new FakeController("other");
      others.add(other);
      api.directory.handles.put("other", other);
    }
    for (Api api : cluster.apis) {
      for (String wrong :
          List.of(
              ITEMS,
              ITEMS + "&namespace=ns",
              ITEMS + "&namespace=ns&phase=ready",
              ITEMS + "&namespace=other&phase=delayed",
              of + "&failing=true",
              of.replace("/demo/", "/other/"))) {
        String detail =
            api.get(wrong + "&continue=" + place)
                .problem(400, "invalid-cursor")
                .path("detail")
                .asText();
        assertThat(detail).as(wrong).contains("another controller or another filter");
      }
      api.get("/api/v1/audit?continue=" + place).problem(400, "invalid-cursor");
      // The same list in other words: another order, another size of pages, other fields.
      assertThat(
              api.get(
                      Api.DEMO
                          + "/items?phase=delayed&continue="
                          + place
                          + "&fields=phase&limit=3&namespace=n%73")
                  .ok(200)
                  .path("items"))
          .hasSize(3);
    }
  }

  /** It becomes a part of the address at which another replica is asked. */
  @ParameterizedTest
  @ValueSource(strings = {"a b", "a\r\nHost: x", "a&namespace=other", "a#", "a%20b", "\u00e9"})
  void aPlaceWithAnythingButAPlaceInIt_isRefused(String inner) {
    fill(0, 0, 10);
    String place = cluster.at(1).get(ITEMS).ok(200).path("continue").asText();
    String list = ContinueToken.listOf("/controllers/demo/items", "limit=7");
    ContinueToken made =
        new ContinueToken(list, ContinueToken.decode(place, list).parts(), inner, "");
    cluster.at(1).get(next(made.encode())).problem(400, "invalid-cursor");
  }
}
