// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every fault is seen by a client as described, ends on request, and leaves a sound server. */
final class InjectedFaultsTest extends FaultSupport {
  private static final String SECRETS = "/api/v1/namespaces/default/secrets";

  @Test
  void fail_meansOnlyTheVerbsResourcesAndPathsOfItsFilter() {
    faults.inject(
        Fault.fail(500).on(FaultFilter.verbs("list").withResources("configmaps")).times(2));
    assertThat(http.get(SECRETS).status()).isEqualTo(200);
    assertThat(http.get(MAPS + "/none").status()).isEqualTo(404);
    assertThat(http.configMap("a", "").status()).isEqualTo(201);
    assertThat(http.get(MAPS).status()).isEqualTo(500);
    assertThat(http.get("/api/v1/configmaps").status()).isEqualTo(500);
    assertThat(http.get(MAPS).status()).isEqualTo(200);

    faults.inject(Fault.fail(503).on(FaultFilter.path("/namespaces/kube-system/")));
    assertThat(http.get("/api/v1/namespaces/kube-system/pods").status()).isEqualTo(503);
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void fail_ofAShare_failsTheSameRequestsForTheSameSeed() {
    List<List<Integer>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      ActiveFault fault = faults.inject(Fault.failShare(503, Duration.ofSeconds(1), 0.5, 42));
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        statuses.add(http.get(MAPS).status());
      }
      assertThat(faults.clear(fault.id())).isTrue();
      runs.add(statuses);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1)).contains(200, 503);
  }

  @Test
  void aFaultWithADuration_endsByItself() throws Exception {
    ActiveFault fault = faults.inject(Fault.fail(500).lasting(Duration.ofMillis(300)));
    assertThat(fault.active()).isTrue();
    Http.await("fault is over", () -> faults.find(fault.id()) == null);
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void starting_refusesBuiltinKindsAndLetsCustomOnesWait_afterConnectionsWereReset()
      throws Exception {
    server.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: boats.sea.example.com}
        spec:
          group: sea.example.com
          names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList}
          scope: Namespaced
          versions:
            - name: v1
              served: true
              storage: true
              schema: {openAPIV3Schema: {type: object}}
        """);
    String boats = "/apis/sea.example.com/v1/namespaces/default/boats";
    try (Http.Watch maps = watchMaps()) {
      ActiveFault fault = faults.inject(Fault.starting());
      assertThat(maps.ends()).isTrue();
      Http fresh = new Http(server);
      assertThat(fresh.get(MAPS).status()).isEqualTo(403);
      assertThat(fresh.get(MAPS + "?watch=true").status()).isEqualTo(403);
      Http.Answer boat = fresh.get(boats);
      assertThat(boat.status()).isEqualTo(429);
      assertThat(boat.body().path("message").asText()).isEqualTo("storage is (re)initializing");
      assertThat(boat.raw().headers().firstValue("Retry-After")).contains("1");
      assertThat(fresh.get("/livez").status()).isEqualTo(200);
      assertThat(faults.clear(fault.id())).isTrue();
      assertThat(fresh.get(MAPS).status()).isEqualTo(200);
      assertThat(fresh.get(boats).status()).isEqualTo(200);
      fresh.close();
    }
  }

  @Test
  void latency_isForMatchingRequestsAndSoManyOfThem() {
    ActiveFault fault =
        faults.inject(
            Fault.latency(Duration.ofMillis(120)).on(FaultFilter.resources("configmaps")).times(1));
    assertThat(http.get(SECRETS).status()).isEqualTo(200);
    assertThat(faults.find(fault.id())).isNotNull();
    long start = System.nanoTime();
    assertThat(http.get(MAPS).status()).isEqualTo(200);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(110_000_000L);
    assertThat(faults.find(fault.id())).isNull();
  }

  @Test
  void aWatchWhoseClientLeftWhileItWasHeld_isNotKept() throws Exception {
    faults.inject(Fault.latency(Duration.ofMillis(300)).on(FaultFilter.verbs("watch")));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request = "GET " + MAPS + "?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }
    // Held as long and sent later: when this one is open, the first has been answered.
    try (Http.Watch later = watchMaps()) {
      Http.await("only the later watch is open", () -> faults.openWatches() == 1);
    }
  }

  @Test
  void closeWatches_canBeLimitedToAResource() throws Exception {
    try (Http.Watch maps = watchMaps();
        Http.Watch secrets = http.watch(SECRETS + "?watch=true&resourceVersion=" + version())) {
      Http.await("two watches", () -> faults.openWatches() == 2);
      ActiveFault done =
          faults.inject(Fault.closeWatches().on(FaultFilter.resources("configmaps")));
      assertThat(done.active()).isFalse();
      assertThat(done.applied()).isEqualTo(1);
      assertThat(maps.ends()).isTrue();
      http.post(SECRETS, "{\"metadata\":{\"name\":\"s\"}}");
      assertThat(name(secrets.next())).isEqualTo("s");
    }
  }

  @Test
  void silenceWatches_ofACount_mutesOnlySoMany() throws Exception {
    ActiveFault fault = faults.inject(Fault.silenceWatches().times(1));
    try (Http.Watch muted = watchMaps();
        Http.Watch fine = watchMaps()) {
      Http.await("two watches", () -> faults.openWatches() == 2);
      assertThat(faults.find(fault.id())).isNull();
      http.configMap("a", "");
      assertThat(name(fine.next())).isEqualTo("a");
      assertThat(muted.next(SILENCE)).isNull();
    }
  }

  @Test
  void slowWatches_lettingEventsTrickle_deliversThemWholeWhenItEnds() throws Exception {
    try (Http.Watch watch = watchMaps()) {
      ActiveFault fault = faults.inject(Fault.slowWatches(20));
      http.configMap("a", "");
      http.configMap("b", "");
      assertThat(watch.next(SILENCE)).as("more than 100 bytes at 20 a second").isNull();
      faults.clear(fault.id());
      assertThat(name(watch.next())).isEqualTo("a");
      assertThat(name(watch.next())).isEqualTo("b");
    }
  }

  @Test
  void slowWatches_atAUsablePace_deliversEverythingWhileActive() throws Exception {
    faults.inject(Fault.slowWatches(5_000));
    try (Http.Watch watch = watchMaps()) {
      for (int i = 0; i < 10; i++) {
        http.configMap("m" + i, "");
      }
      for (int i = 0; i < 10; i++) {
        assertThat(name(watch.next())).isEqualTo("m" + i);
      }
    }
  }

  @Test
  void dropEvents_losesThemForResumedWatchesToo_untilAList() throws Exception {
    String before = version();
    faults.inject(Fault.dropEvents(0.5, 7));
    List<String> seen = new ArrayList<>();
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + before)) {
      for (int i = 0; i < 30; i++) {
        http.configMap("m" + i, "");
      }
      long lost = faults.active().getFirst().applied();
      assertThat(lost).isBetween(1L, 29L);
      faults.reset();
      http.configMap("last", "");
      for (String name = ""; !name.equals("last"); ) {
        name = name(watch.next());
        seen.add(name);
      }
      assertThat(seen).hasSize((int) (31 - lost));
    }
    List<String> resumed = new ArrayList<>();
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + before)) {
      for (int i = 0; i < seen.size(); i++) {
        resumed.add(name(watch.next()));
      }
    }
    assertThat(resumed).isEqualTo(seen);
    Set<String> listed = new HashSet<>();
    http.get(MAPS).body().path("items").forEach(i -> listed.add(i.at("/metadata/name").asText()));
    assertThat(listed).hasSize(31);
  }

  @Test
  void expireWatches_sendsA410InsideOpenWatchesAndEndsThem() throws Exception {
    try (Http.Watch watch = watchMaps()) {
      http.configMap("a", "");
      assertThat(name(watch.next())).isEqualTo("a");
      faults.inject(Fault.expireWatches());
      JsonNode event = watch.next();
      assertThat(event.path("type").asText()).isEqualTo("ERROR");
      assertThat(event.at("/object/code").asInt()).isEqualTo(410);
      assertThat(event.at("/object/reason").asText()).isEqualTo("Expired");
      assertThat(watch.ends()).isTrue();
    }
  }

  @Test
  void compactHistoryWithStatus_answers410AtTheStartOfAWatch() {
    String old = version();
    ActiveFault fault = faults.inject(Fault.compactHistoryWithStatus().times(1));
    Http.Answer answer = http.get(MAPS + "?watch=true&resourceVersion=" + old);
    assertThat(answer.status()).isEqualTo(410);
    assertThat(answer.body().path("reason").asText()).isEqualTo("Expired");
    assertThat(faults.find(fault.id())).isNull();
  }

  @Test
  void unknownFields_areInEveryAnswerAndEventAndStopWhenTold() throws Exception {
    http.configMap("a", "");
    ActiveFault fault = faults.inject(Fault.unknownFields());
    for (String path : List.of(MAPS, MAPS + "/a", MAPS + "/none", "/version", "/api/v1", "/apis")) {
      assertThat(http.get(path).body().has("coxswainUnknownField")).as(path).isTrue();
    }
    assertThat(http.get(MAPS).body().at("/items/0").has("coxswainUnknownField")).isTrue();
    assertThat(http.get(MAPS).body().at("/items/0/metadata").has("coxswainUnknownField")).isTrue();
    try (Http.Watch watch =
        http.watch(MAPS + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=1")) {
      assertThat(watch.next().path("object").has("coxswainUnknownField")).isTrue();
      JsonNode bookmark = watch.next();
      assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
      assertThat(bookmark.path("object").has("coxswainUnknownField")).isTrue();
    }
    JsonNode object = http.get(MAPS + "/a").body();
    assertThat(http.call("PUT", MAPS + "/a", object.toString(), "application/json").status())
        .isEqualTo(200);
    faults.clear(fault.id());
    assertThat(http.get(MAPS + "/a").body().toString()).doesNotContain("coxswainUnknownField");
  }

  @Test
  void reset_endsAllFaults() {
    faults.inject(Fault.fail(500));
    faults.inject(Fault.unknownFields());
    faults.inject(Fault.pause());
    assertThat(faults.active()).hasSize(3);
    faults.reset();
    assertThat(faults.active()).isEmpty();
  }

  @Test
  void faultsThatMakeNoSense_areRefusedByTheFieldThatIsWrong() {
    assertThatThrownBy(() -> Fault.pause().times(3))
        .isInstanceOfSatisfying(
            InvalidFaultException.class, e -> assertThat(e.field()).isEqualTo("count"));
    assertThatThrownBy(() -> Fault.closeWatches().on(FaultFilter.verbs("list")))
        .isInstanceOfSatisfying(
            InvalidFaultException.class, e -> assertThat(e.field()).isEqualTo("verbs"));
    assertThatThrownBy(() -> Fault.dropEvents(1.5, 0))
        .isInstanceOfSatisfying(
            InvalidFaultException.class, e -> assertThat(e.field()).isEqualTo("share"));
    assertThatThrownBy(() -> Fault.cutConnections().lasting(Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            InvalidFaultException.class, e -> assertThat(e.field()).isEqualTo("duration"));
  }
}
