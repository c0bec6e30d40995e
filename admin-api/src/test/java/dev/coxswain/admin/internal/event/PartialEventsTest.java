// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static dev.coxswain.admin.internal.event.ClusterEventsTest.says;
import static dev.coxswain.admin.internal.event.ClusterEventsTest.states;
import static dev.coxswain.admin.internal.event.ClusterEventsTest.total;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.EventListener;
import dev.coxswain.admin.EventListener.Event;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.view.Phase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream of events says of which replicas it does not tell, and why. */
@Timeout(180)
class PartialEventsTest {

  private final Cluster3 cluster =
      new Cluster3(replica -> AccessControl.open(), options -> options, ClusterEventsTest.FAST);

  @AfterEach
  void close() {
    cluster.close();
  }

  private void put(int replica, String name) {
    cluster.at(replica).demo.put("ns", name, Phase.READY, 0, null);
  }

  @Test
  void aKilledReplica_isMissing_untilItIsBack() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      stream.await("synced");
      cluster.kill(1);
      Event missing = stream.await("partial", says(true));
      assertThat(states(missing))
          .containsExactly("coxswain-0 ok", "coxswain-1 unreachable", "coxswain-2 ok");
      put(2, "a");
      Event other = stream.await("controller", total("coxswain-2", 1));
      assertThat(other.number("coxswain-1")).isPositive(); // it may be back, and know the eventId
      try (EventListener later = new EventListener(cluster.at(2), "?topics=controllers")) {
        Event early = later.await("partial");
        assertThat(early.json().path("partial").asBoolean()).isTrue();
        assertThat(later.some().name()).isEqualTo("synced"); // those that can be reached
      }
      cluster.restart(1);
      stream.await("partial", says(false));
      put(1, "b");
      stream.await("controller", total("coxswain-1", 1));
    }
  }

  @Test
  void aReplicaThatLeaves_isNoLongerNamed_andOneThatJoinsIsHeard() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      stream.await("synced");
      cluster.loseLease(2);
      Event left = stream.await("partial");
      assertThat(states(left)).containsExactly("coxswain-0 ok", "coxswain-1 ok");
      put(2, "unheard");
      put(1, "a");
      assertThat(stream.await("controller").number("coxswain-2")).isNegative();
      cluster.acquireLeases();
      stream.await("controller", total("coxswain-2", 1));
      assertThat(states(stream.await("partial", says(false)))).contains("coxswain-2 ok");
    }
  }

  /** One that accepts and says nothing, as a stopped process does. */
  @Test
  void aReplicaThatSaysNothing_isWaitedForOnlySoLong() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      cluster.move(0, 1, "http://127.0.0.1:" + silent.getLocalPort());
      try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
        List<Event> heard = stream.until("synced", event -> true);
        assertThat(states(heard.get(heard.size() - 2)))
            .containsExactly("coxswain-0 ok", "coxswain-1 timeout", "coxswain-2 ok");
      }
    }
  }

  /** One that stops in the middle, as a process does that is stopped by a debugger. */
  @Test
  void aReplicaThatFallsSilent_isGivenUp() throws Exception {
    Vertx vertx = cluster.at(0).vertx;
    String synced = "id: coxswain-1=0123456789abcdef-1\nevent: synced\ndata: {}\n\n";
    HttpServer stopped =
        vertx
            .createHttpServer()
            .requestHandler(request ->
                request
                    .response()
                    .setChunked(true)
                    .putHeader(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION)
                    .putHeader(ApiHeaders.REPLICA, "coxswain-1")
                    .write(synced))
            .listen(0, "127.0.0.1")
            .await(60, TimeUnit.SECONDS);
    cluster.move(0, 1, "http://127.0.0.1:" + stopped.actualPort());
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      assertThat(states(stream.await("partial"))).contains("coxswain-1 ok");
      assertThat(states(stream.await("partial", says(true)))).contains("coxswain-1 timeout");
    }
  }

  @Test
  void anotherReplicaAtItsAddress_isNotBelieved() throws IOException {
    cluster.move(0, 1, "http://127.0.0.1:" + cluster.at(2).port);
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      List<Event> heard = stream.until("synced", event -> true);
      assertThat(states(heard.get(heard.size() - 2)))
          .containsExactly("coxswain-0 ok", "coxswain-1 incompatible", "coxswain-2 ok");
      assertThat(heard).noneMatch(event -> event.replica().equals("coxswain-1"));
    }
  }
}
