// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.membership.TestMembership;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A slot is opened in the controllers when its objects are loaded, in one term for each epoch. */
class SlotGatesTest {

  private final Kubernetes nowhere = Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT);
  private final ReplicaMembership membership =
      new ReplicaMembership(TestMembership.of(4), "one", "none", nowhere, Clock.system());
  private final Queue<Runnable> mailbox = new ArrayDeque<>();
  private final List<String> calls = new ArrayList<>();
  private final Map<Integer, SlotTerm> terms = new HashMap<>();
  private final Promise<Void> attempts = Promise.promise();
  private Promise<Void> load = Promise.promise();
  private Future<Void> held = Future.succeededFuture();
  private final SlotGates gates =
      new SlotGates(new Recorder(), membership, Clock.system(), mailbox::add);

  SlotGatesTest() {
    gates.loadBy(
        new SlotLoader() {
          @Override
          public Future<Void> keep(Collection<Integer> slots) {
            calls.add("keep " + slots);
            return load.future();
          }

          @Override
          public void release(Collection<Integer> slots) {
            calls.add("release " + slots);
          }
        });
  }

  @AfterEach
  void close() {
    nowhere.close();
  }

  private void pass() {
    while (!mailbox.isEmpty()) {
      mailbox.remove().run();
    }
    gates.flush();
  }

  @Test
  void aSlot_isOpenedWhenItIsLoaded() {
    gates.open(1, 7, 107, "a", null);
    pass();
    assertThat(calls).containsExactly("keep [1]");
    load.complete();
    pass();
    assertThat(calls).containsExactly("keep [1]", "open 1:107");
  }

  @Test
  void aSlotThatIsClosedWhileItLoads_isNotOpened_andReopensInTheSameTerm() {
    gates.open(1, 7, 107, "a", null);
    pass();
    gates.close(1);
    load.complete();
    pass();
    assertThat(calls).doesNotContain("open 1:107");
    gates.open(1, 7, 150, "a", null);
    pass();
    assertThat(calls).endsWith("open 1:107");
  }

  /** Epochs are versions of the store, so that those of all slots and controllers are in one order. */
  @Test
  void theEpochOfATerm_isTheVersionOfItsMap_orThatOfTheSlotAfterARestoreOfTheStore() {
    load.complete();
    gates.open(1, 7, 107, "a", null);
    gates.open(2, 300, 108, "a", null);
    pass();
    pass();
    assertThat(calls).contains("open 1:107", "open 2:300");
  }

  @Test
  void aLoadedSlot_isNotOpened_beforeTheControllersMayRunUnderTheIdentity() {
    load.complete();
    gates.mayOpen(false);
    gates.open(1, 7, 107, "a", null);
    pass();
    pass();
    assertThat(calls).doesNotContain("open 1:107");
    gates.mayOpen(true);
    pass();
    assertThat(calls).endsWith("open 1:107");
  }

  @Test
  void aRevokedSlot_isDropped_andItsTermHasEnded() {
    load.complete();
    gates.open(1, 7, 107, "a", null);
    pass();
    pass();
    gates.revoke(1);
    gates.flush();
    assertThat(calls).endsWith("cancel [1]", "drop [1]", "release [1]");
    assertThat(Objects.requireNonNull(terms.get(1)).timeLeft()).isZero();
  }

  @Test
  void aSlotThatIsRevokedAndIncomingAtOnce_isDroppedFirst_andStaysLoaded() {
    load.complete();
    gates.open(1, 7, 107, "a", null);
    pass();
    pass();
    calls.clear();
    gates.revoke(1);
    gates.incoming(1);
    gates.flush();
    assertThat(calls)
        .containsExactly("cancel [1]", "drop [1]", "release []", "hold [1]", "keep [1]");
  }

  @Test
  void theLoadOfSeveralSlots_isRepeatedForThoseThatAreStillWanted_whenOneIsRevoked() {
    gates.open(1, 7, 107, "a", null);
    gates.open(2, 7, 107, "a", null);
    gates.flush();
    gates.revoke(1);
    gates.flush();
    Promise<Void> first = load;
    load = Promise.promise();
    load.complete();
    first.fail("released");
    pass();
    pass();
    assertThat(calls).contains("keep [1, 2]", "keep [2]").endsWith("open 2:107");
  }

  /** A kind that is not installed kept every slot closed that was handed over. */
  @Test
  void aControllerThatDoesNotSync_keepsNoSlotClosed_andTheSlotIsNotReady() {
    load.complete();
    held = Promise.<Void>promise().future();
    gates.incoming(1);
    pass();
    pass();
    assertThat(gates.ready(List.of(1))).isEmpty();
    gates.open(1, 8, 108, "a", null);
    pass();
    pass();
    assertThat(calls).endsWith("open 1:108");
  }

  @Test
  void anIncomingSlot_isReady_whenItIsLoadedAndTheControllersHaveSynced() {
    gates.incoming(1);
    pass();
    pass();
    assertThat(gates.ready(List.of(1))).isEmpty();
    load.complete();
    pass();
    assertThat(gates.ready(List.of(1))).containsExactly(1);
  }

  @Test
  void aClosedSlot_runsUntilItsAttemptsHaveEnded() {
    load.complete();
    gates.open(1, 7, 107, "a", null);
    pass();
    pass();
    gates.close(1);
    assertThat(gates.isRunning(1)).isTrue();
    attempts.complete();
    assertThat(gates.isRunning(1)).isFalse();
  }

  @Test
  void whatWasHandedOver_isWaitedFor_andPassedOn() {
    load.complete();
    gates.incoming(1);
    pass();
    Promise<Map<String, MovedSlot>> moved = Promise.promise();
    gates.open(1, 8, 108, "a", moved.future());
    pass();
    pass();
    assertThat(calls).noneMatch(call -> call.startsWith("open"));
    moved.complete(Map.of("demo", new MovedSlot(List.of(), List.of())));
    pass();
    assertThat(calls).endsWith("openMoved 1:108 [demo]");
  }

  /** Records the calls that the controllers would receive. */
  private final class Recorder implements ShardedControllers {
    @Override
    public void begin(HostSlots slots) {}

    @Override
    public Future<Void> hold(Collection<Integer> slots) {
      calls.add("hold " + slots);
      return held;
    }

    @Override
    public Future<Void> open(Collection<? extends SlotTerm> opened) {
      opened.forEach(term -> {
        terms.put(term.slot(), term);
        calls.add("open " + term.slot() + ":" + term.epoch());
      });
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> openMoved(SlotTerm term, Map<String, MovedSlot> moved) {
      calls.add("openMoved " + term.slot() + ":" + term.epoch() + " " + moved.keySet());
      return Future.succeededFuture();
    }

    @Override
    public Future<Map<String, MovedSlot>> export(int slot, int limit) {
      return Future.succeededFuture(Map.of());
    }

    @Override
    public Future<Void> close(int slot) {
      calls.add("close " + slot);
      return attempts.future();
    }

    @Override
    public void drop(Collection<Integer> slots) {
      calls.add("drop " + slots);
    }

    @Override
    public void cancel(Collection<Integer> slots) {
      calls.add("cancel " + slots);
    }

    @Override
    public void problem(String reason) {}

    @Override
    public void refresh() {}
  }
}
