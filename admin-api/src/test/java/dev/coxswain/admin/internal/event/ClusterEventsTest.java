// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.EventListener;
import dev.coxswain.admin.EventListener.Event;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream of events tells of all replicas, in order, and loses nothing. */
@Timeout(180)
public class ClusterEventsTest {

  private static final List<String> NAMES = List.of("coxswain-0", "coxswain-1", "coxswain-2");
  public static final Intervals FAST =
      new Intervals(
          Duration.ofSeconds(10),
          Duration.ofMillis(20),
          Duration.ofMillis(500),
          Duration.ofMillis(100));

  /** A client that reads nothing must not be cut off for that, however slow the machine is. */
  private final Cluster3 cluster =
      new Cluster3(
          replica -> AccessControl.open(),
          options -> options.withIdleTimeout(Duration.ofMinutes(2)),
          FAST);

  @AfterEach
  void close() {
    cluster.close();
  }

  private void put(int replica, String name) {
    cluster.at(replica).demo.put("ns", name, Phase.READY, 0, null);
  }

  /** Accepts what says how many items a replica has. */
  static Predicate<Event> total(String replica, int total) {
    return event -> event.replica().equals(replica) && event.json().path("total").asInt() == total;
  }

  /** Returns what a {@code partial} event says of each replica. */
  public static List<String> states(Event partial) {
    return Cluster3.states(partial.json());
  }

  /** Accepts what says whether somebody is missing. */
  static Predicate<Event> says(boolean partial) {
    return event -> event.json().path("partial").asBoolean() == partial;
  }

  @Test
  void aStream_beginsWithTheStateOfAllReplicas_andWhoTheyAre() throws IOException {
    put(1, "a");
    for (int asked = 0; asked < 3; asked++) {
      try (EventListener stream = new EventListener(cluster.at(asked), "")) {
        Map<String, Integer> totals = new TreeMap<>();
        int lists = 0;
        List<Event> state = stream.until("synced", event -> true);
        for (Event event : state) {
          if (event.name().equals("controller")) {
            totals.put(event.replica(), event.json().path("total").asInt());
          } else if (event.name().equals("replicas")) {
            lists++;
            assertThat(event.replica()).isEqualTo("coxswain-" + asked);
            assertThat(event.json().path("items")).hasSize(3);
          }
        }
        assertThat(totals).isEqualTo(Map.of("coxswain-0", 0, "coxswain-1", 1, "coxswain-2", 0));
        assertThat(lists).isOne();
        Event partial = state.get(state.size() - 2);
        assertThat(partial.name()).isEqualTo("partial");
        assertThat(partial.json().path("partial").asBoolean(true)).isFalse();
        assertThat(states(partial))
            .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 ok");
        assertThat(state.getLast().replica()).isEqualTo("coxswain-" + asked);
        for (String name : NAMES) {
          assertThat(state.getLast().number(name)).as(name).isPositive();
        }
      }
    }
  }

  /**
   * Each replica numbers what it tells without a gap, so gaps, doubles and disorder are seen at
   * once; the client goes on at another replica every time.
   */
  @Test
  void whoeverComesBackWithTheLastId_missesNothing_andHearsNothingTwice() throws IOException {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    Map<String, Long> numbers = new HashMap<>();
    Map<String, Integer> totals = new HashMap<>();
    int[] put = new int[3];
    String id;
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      Event synced = stream.await("synced");
      id = synced.id();
      NAMES.forEach(name -> numbers.put(name, synced.number(name)));
    }
    int rounds = 12;
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < 10; i++) {
        int replica = random.nextInt(3);
        put(replica, "item-" + put[replica]++);
      }
      int most = round == rounds ? Integer.MAX_VALUE : 1 + random.nextInt(4);
      Api asked = cluster.at(random.nextInt(3));
      try (EventListener stream =
          new EventListener(asked, "?topics=controllers", "Last-Event-ID", id)) {
        int heard = 0;
        for (Event event = stream.some(); heard < most; event = stream.some()) {
          if (event.name().equals("synced")) {
            break;
          }
          assertThat(event.name()).as("seed " + seed).isIn("controller", "partial");
          if (event.name().equals("controller")) {
            heard++;
            String replica = event.replica();
            id = event.id();
            totals.put(replica, event.json().path("total").asInt());
            assertThat(event.number(replica))
                .as(event + ", seed " + seed)
                .isEqualTo(numbers.merge(replica, 1L, Long::sum));
          }
        }
      }
    }
    for (int replica = 0; replica < 3; replica++) {
      assertThat(totals).as("seed " + seed).containsEntry(NAMES.get(replica), put[replica]);
    }
  }

  @Test
  void whatChangesAnywhere_isHeard_inTheOrderOfEachReplica() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      Event synced = stream.await("synced");
      for (int i = 0; i < 20; i++) {
        for (int replica = 0; replica < 3; replica++) {
          put(replica, "item-" + i);
        }
      }
      Map<String, Integer> totals = new HashMap<>();
      Map<String, Long> numbers = new HashMap<>();
      NAMES.forEach(name -> numbers.put(name, synced.number(name)));
      while (totals.values().stream().filter(total -> total == 20).count() < 3) {
        Event event = stream.await("controller");
        int total = event.json().path("total").asInt();
        Integer before = totals.put(event.replica(), total);
        assertThat(total).isGreaterThan(before == null ? 0 : before);
        Map<String, Long> now = new HashMap<>(numbers);
        now.merge(event.replica(), 1L, Long::sum);
        NAMES.forEach(name -> numbers.put(name, event.number(name)));
        assertThat(numbers).isEqualTo(now);
      }
    }
  }

  @Test
  void aReplicaThatWasStartedAnew_beginsAnew_andNoOther() throws IOException {
    put(2, "forgotten");
    try (EventListener stream = new EventListener(cluster.at(0), "")) {
      String id = stream.await("synced").id();
      cluster.restart(2);
      List<Event> heard =
          stream.until(
              "partial", event -> says(false).test(event) && event.number("coxswain-2") < 0);
      assertThat(heard.stream().filter(event -> event.name().equals("reset")).map(Event::replica))
          .containsExactly("coxswain-2");
      assertThat(heard.getFirst().name()).isEqualTo("partial");
      assertThat(states(heard.getFirst()))
          .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
      assertThat(heard)
          .anyMatch(
              event -> event.name().equals("controller") && total("coxswain-2", 0).test(event));
      try (EventListener later =
          new EventListener(cluster.at(1), "?topics=controllers", "Last-Event-ID", id)) {
        List<String> again = new ArrayList<>();
        for (Event event : later.until("synced", event -> true)) {
          if (!event.name().equals("partial") && !event.name().equals("synced")) {
            again.add(event.name() + " " + event.replica());
          }
        }
        assertThat(again).containsExactly("reset coxswain-2", "controller coxswain-2");
      }
    }
  }

  @Test
  void aScope_limitsTheStream() throws IOException {
    Set<String> all = new HashSet<>();
    for (String query : List.of("?scope=local", "?replica=coxswain-2", "?replica=coxswain-0")) {
      try (EventListener stream = new EventListener(cluster.at(0), query)) {
        Set<String> replicas = new HashSet<>();
        for (Event event : stream.until("synced", event -> true)) {
          if (event.name().equals("partial")) {
            assertThat(event.json().path("replicas")).hasSize(1);
          } else if (!event.name().equals("synced")) {
            replicas.add(event.replica());
          }
        }
        assertThat(replicas).hasSize(1);
        all.addAll(replicas);
      }
    }
    assertThat(all).containsExactlyInAnyOrder("coxswain-0", "coxswain-2");
    cluster.at(0).get("/api/v1/events?replica=nobody").problem(404, "replica-not-found");
    cluster.at(0).get("/api/v1/events?scope=planet").problem(400, "invalid-query");
  }

  @Test
  void severalTabsOfOneCaller_hearAllReplicas_throughEachOfThem() throws IOException {
    List<EventListener> tabs = new ArrayList<>();
    for (Api api : cluster.apis) {
      for (int i = 0; i < EventFeed.MAX_STREAMS_PER_CALLER; i++) {
        EventListener tab = new EventListener(api, "?topics=controllers");
        tabs.add(tab);
        assertThat(tab.await("partial").json().path("partial").asBoolean(true)).isFalse();
      }
      api.get("/api/v1/events").problem(429, "too-many-streams");
    }
    for (EventListener tab : tabs) {
      tab.close();
    }
  }

  /** Whether one more stream could be opened for another replica; HEAD asks without opening one. */
  private boolean isFree(int replica) {
    var request =
        cluster
            .at(replica)
            .request("/peer/v1/events")
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .header(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION);
    return cluster.at(replica).open(request).statusCode() == 200;
  }

  @Test
  void whenAClientGoes_thatIsTheEndOfItsStreamsFromOtherReplicas() throws IOException {
    List<EventListener> tabs = new ArrayList<>();
    for (int asked : new int[] {0, 2}) {
      for (int i = 0; i < EventFeed.MAX_STREAMS_PER_CALLER; i++) {
        EventListener tab = new EventListener(cluster.at(asked), "?topics=controllers");
        tab.await("synced");
        tabs.add(tab);
      }
    }
    assertThat(isFree(1)).isFalse(); // both others have as many as one caller may
    for (EventListener tab : tabs) {
      tab.close();
    }
    Await.until(() -> isFree(1));
  }

  /** What a client does not read waits at the replica that tells it, and only what it can hold. */
  @Test
  void whileAClientDoesNotRead_nothingGrows_andItIsToldWhatItMissed() throws IOException {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      many.add("consumer-with-a-long-name-" + i);
    }
    int rounds = 90;
    try (EventListener slow =
            new EventListener(cluster.at(0), "?topics=limiters&replica=coxswain-1");
        EventListener fast = new EventListener(cluster.at(1), "?topics=limiters&scope=local")) {
      slow.await("synced");
      fast.await("synced");
      for (int round = 1; round <= rounds; round++) {
        List<BudgetSnapshot> limiters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          limiters.add(new BudgetSnapshot("limiter-" + i, "local", 10, 100, 1, 0, round, 0, many));
        }
        cluster.at(1).directory.budgets.addAll(limiters);
        while (cluster.at(1).directory.budgets.size() > limiters.size()) {
          cluster.at(1).directory.budgets.removeFirst();
        }
        int now = round;
        Set<String> told = new HashSet<>();
        while (told.size() < limiters.size()) {
          Event event = fast.await("limiter", one -> one.json().path("granted").asInt() == now);
          told.add(event.json().path("name").asText());
        }
      }
      long before = slow.read;
      Set<String> newest = new HashSet<>();
      boolean reset = false;
      while (newest.size() < 50) {
        Event event = slow.some();
        reset |= event.name().equals("reset") && event.replica().equals("coxswain-1");
        if (event.json().path("granted").asInt() == rounds) {
          newest.add(event.json().path("name").asText());
        }
      }
      assertThat(reset).isTrue();
      // The state, what the ring of the other replica holds, and the buffers of the connections.
      assertThat(slow.read - before).isLessThan(fast.read / 2);
    }
  }
}
