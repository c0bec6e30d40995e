// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.EventListener;
import dev.coxswain.admin.EventListener.Event;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Authenticator;
import dev.coxswain.admin.auth.Authorizer;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each replica decides by itself, again and again, whether a caller may hear its events. */
@Timeout(180)
class ClusterEventRightsTest {

  private static final String[] ALICE = {"Authorization", "Bearer alice"};

  private final AtomicIntegerArray allowed = new AtomicIntegerArray(new int[] {1, 1, 1});
  private final AtomicIntegerArray known = new AtomicIntegerArray(new int[] {1, 1, 1});
  private final Cluster3 cluster =
      new Cluster3(this::access, options -> options, ClusterEventsTest.FAST);

  private AccessControl access(int replica) {
    Authenticator one =
        token ->
            Future.succeededFuture(
                known.get(replica) == 1 && token.equals("alice")
                    ? new Authentication.Accepted(Principal.of("alice"), Duration.ofHours(1))
                    : new Authentication.Rejected());
    Authorizer right = (caller, wanted) -> Future.succeededFuture(allowed.get(replica) == 1);
    return AccessControl.local("test", "ask the test", new AccessControl.Ports(one, right));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private static String state(Event partial, int replica) {
    return partial.json().path("replicas").path(replica).path("state").asText();
  }

  private void put(int replica) {
    cluster.at(replica).demo.put("ns", "a", Phase.READY, 0, null);
  }

  @Test
  void whoMayNotListenToAReplica_hearsTheOthers_untilTheyMay() throws IOException {
    allowed.set(1, 0);
    put(1);
    try (EventListener stream = new EventListener(cluster.at(0), "", ALICE)) {
      List<Event> heard = stream.until("synced", event -> true);
      Event partial = heard.get(heard.size() - 2);
      assertThat(state(partial, 1)).isEqualTo("refused");
      assertThat(partial.data()).contains("403");
      assertThat(heard).noneMatch(event -> event.replica().equals("coxswain-1"));
      assertThat(heard).anyMatch(event -> event.replica().equals("coxswain-2"));
      allowed.set(1, 1);
      stream.await("controller", event -> event.replica().equals("coxswain-1"));
      stream.await("partial", event -> state(event, 1).equals("ok"));
    }
  }

  @Test
  void aRightThatIsTakenAwayAtOneReplica_endsWhatThatReplicaTells() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "", ALICE)) {
      stream.await("synced");
      known.set(1, 0);
      assertThat(state(stream.await("partial"), 1)).isEqualTo("refused");
      put(1);
      put(2);
      List<Event> heard = stream.until("controller", event -> true);
      assertThat(heard.getLast().replica()).isEqualTo("coxswain-2");
    }
  }

  @Test
  void aRightThatIsTakenAwayAtTheOneThatWasAsked_endsEverything() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "", ALICE)) {
      stream.await("synced");
      allowed.set(0, 0);
      stream.await("unauthorized");
      assertThat(stream.next()).isNull();
    }
  }
}
