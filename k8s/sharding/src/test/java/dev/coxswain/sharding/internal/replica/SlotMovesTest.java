// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.TestMembership;
import dev.coxswain.sharding.internal.store.MovedSlotStore;
import dev.coxswain.sharding.internal.store.MovedSlotStore.Term;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The state of slots that move together travels in one request for all of them. */
class SlotMovesTest {

  private static final Membership SETTINGS = TestMembership.of(8);
  private static final Map<String, MovedSlot> STATE =
      Map.of(
          "one",
          new MovedSlot(
              List.of(new MovedItem("n", "x", 3, true, Duration.ZERO, 0, "e")), List.of("1")));
  private static final List<Term> TERMS =
      IntStream.range(0, 5).mapToObj(slot -> new Term("map-uid", slot, 7)).toList();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  @AfterEach
  void close() {
    kubernetes.close();
    server.close();
  }

  private SlotMoves moves(Map<String, MovedSlot> exported) {
    return moves(() -> exported);
  }

  private SlotMoves moves(Supplier<Map<String, MovedSlot>> exported) {
    RecordingControllers controllers = new RecordingControllers();
    controllers.exports(_ -> exported.get());
    return new SlotMoves(
        new MovedSlotStore(KubernetesRuntime.of(kubernetes).transport(), SETTINGS, () -> "one"),
        controllers,
        Clock.system(),
        Runnable::run,
        Runnable::run);
  }

  private long requests(Runnable step) {
    long before = KubernetesRuntime.of(kubernetes).transport().answers();
    step.run();
    return KubernetesRuntime.of(kubernetes).transport().answers() - before;
  }

  @Test
  void slotsThatMoveTogether_shareTheirRequests() {
    SlotMoves owner = moves(STATE);
    assertThat(TERMS).noneMatch(term -> owner.isExported(0, term));
    assertThat(requests(owner::flush)).as("look, change, create").isEqualTo(3);
    assertThat(TERMS).allMatch(term -> owner.isExported(0, term));

    SlotMoves next = moves(Map.of());
    TERMS.forEach(term -> next.incoming(term.slot(), 0));
    List<Future<Map<String, MovedSlot>>> received = TERMS.stream().map(next::fetch).toList();
    assertThat(requests(next::flush)).as("read, remove").isEqualTo(2);
    assertThat(received).allMatch(one -> one.result().equals(STATE));
  }

  @Test
  void slotsWithoutState_areHandedOverWithoutARequestOfTheirOwner() {
    SlotMoves owner = moves(Map.of("one", new MovedSlot(List.of(), List.of("1"))));
    assertThat(
            requests(() -> {
              TERMS.forEach(term -> owner.isExported(0, term));
              owner.flush();
            }))
        .isZero();
    assertThat(TERMS).allMatch(term -> owner.isExported(0, term));
  }

  @Test
  void stateThatIsStored_isReplacedInItsTerm_andLeavesALaterTermAlone() {
    Map<String, MovedSlot> none = Map.of("one", new MovedSlot(List.of(), List.of("1")));
    AtomicReference<Map<String, MovedSlot>> now = new AtomicReference<>(STATE);
    SlotMoves owner = moves(now::get);
    Term term = TERMS.getFirst();
    owner.isExported(0, term);
    owner.flush();
    owner.opened(term.slot()); // kept: it moves again in the same term, with nothing to hand over
    now.set(none);
    owner.isExported(0, term);
    assertThat(requests(owner::flush)).as("replaced").isPositive();

    SlotMoves next = moves(Map.of());
    next.incoming(term.slot(), 0);
    Future<Map<String, MovedSlot>> received = next.fetch(term);
    next.flush();
    assertThat(received.result().values()).allMatch(moved -> moved.items().isEmpty());

    owner.opened(term.slot());
    Term later = new Term(term.map(), term.slot(), term.epoch() + 2);
    owner.isExported(0, later);
    assertThat(requests(owner::flush)).as("nothing to hand over in a later term").isZero();
    assertThat(owner.isExported(0, later)).isTrue();
  }

  /** A request that no object has brought is nowhere else; it was lost at the first failure. */
  @Test
  void requestThatFails_isRepeated_whenStateIsStored_andWhenItIsReceived() {
    SlotMoves owner = moves(STATE);
    TERMS.forEach(term -> owner.isExported(0, term));
    server.faults().inject(Fault.fail(500).times(2));
    owner.flush();

    SlotMoves next = moves(Map.of());
    TERMS.forEach(term -> next.incoming(term.slot(), 0));
    List<Future<Map<String, MovedSlot>>> received = TERMS.stream().map(next::fetch).toList();
    server.faults().inject(Fault.fail(500).times(2));
    next.flush();
    assertThat(received).allMatch(one -> one.result().equals(STATE));
  }
}
