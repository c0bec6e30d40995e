// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ActionResult;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** What no source lists is not lost while a controller is built again for other namespaces. */
class ControllerRebuildTest extends ControllerManagerFixture {

  private static final ItemId GONE = new ItemId("a", "gone");
  private static final MovedItem FAILING =
      new MovedItem("a", "gone", 3, true, Duration.ofMinutes(30), 0, "refused");

  private final AtomicInteger builds = new AtomicInteger();

  private ControllerManager opened(Ownership ownership, IntFunction<Future<Void>> synced)
      throws Exception {
    ControllerDefinition work =
        definition(
            "work",
            environment ->
                Controller.named("work")
                    .options(options -> options.withOwnership(ownership))
                    .watches(source(synced.apply(builds.incrementAndGet())))
                    .reconciles((request, context) -> Result.done()));
    ControllerManager manager = manager(List.of(work), "kubernetes.watchNamespaces=[a]");
    if (ownership != Ownership.EVERYWHERE) {
      lead(manager);
    }
    manager.open().await();
    await(() -> isRunning(manager));
    return manager;
  }

  private static boolean isRunning(ControllerManager manager) {
    return manager.states().getFirst().phase() == ControllerPhase.RUNNING;
  }

  private static void rewatch(ControllerManager manager) throws Exception {
    manager.reconfigure(configuration("kubernetes.watchNamespaces=[a, b]")).await();
  }

  private static List<QueuedItem> gone(ControllerManager manager) {
    return manager.find("work").stream()
        .flatMap(handle -> handle.item(GONE).await().stream())
        .toList();
  }

  @Test
  void theRequestsOfARun_reachTheNextOneThatSyncs_thoughASourceFailsInBetween() throws Exception {
    Promise<Void> broken = Promise.promise();
    ControllerManager manager =
        opened(
            Ownership.EVERYWHERE,
            build ->
                switch (build) {
                  case 2 -> broken.future();
                  case 3 -> Future.failedFuture("the broker is not connected");
                  default -> Future.succeededFuture();
                });
    assertThat(manager.find("work").orElseThrow().restore(FAILING).await()).isTrue();
    rewatch(manager);
    await(() -> builds.get() == 2 && !gone(manager).isEmpty());
    await(() -> manager.states().getFirst().phase() == ControllerPhase.SYNCING);
    broken.fail("the broker is not connected");
    await(() -> builds.get() == 4 && isRunning(manager));
    await(() -> !gone(manager).isEmpty());
    assertThat(gone(manager)).extracting(QueuedItem::failures).containsExactly(3);
    manager.close().await();
  }

  @Test
  void theRequestsOfASlot_moveWithIt_whileItsControllerIsBuiltAgain() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    ControllerManager manager = opened(Ownership.SHARDED, build -> waitFor(build, goOn));
    assertThat(manager.find("work").orElseThrow().restore(FAILING).await()).isTrue();
    rewatch(manager);
    await(() -> builds.get() == 2);

    manager.slotControllers().close(0).await();
    MovedSlot moved = manager.slotControllers().export(0, 100).await().get("work");

    assertThat(moved.items()).extracting(MovedItem::name).containsExactly("gone");
    assertThat(moved.items()).extracting(MovedItem::failures).containsExactly(3);
    assertThat(moved.positions()).as("the next owner delivers all its objects").isEmpty();
    goOn.countDown();
    manager.close().await();
  }

  @Test
  void whatComesWithASlot_whileItsControllerIsBuiltAgain_isInTheQueueOfTheNextRun()
      throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    ControllerManager manager = opened(Ownership.SHARDED, build -> waitFor(build, goOn));
    stopLeading(manager).await();
    rewatch(manager);
    await(() -> builds.get() == 2);

    manager
        .slotControllers()
        .openMoved(new Term(7), Map.of("work", new MovedSlot(List.of(FAILING), List.of())))
        .await();
    goOn.countDown();

    await(() -> !gone(manager).isEmpty());
    assertThat(gone(manager)).extracting(QueuedItem::failures).containsExactly(3);
    manager.close().await();
  }

  /** It had its own list, and would watch all namespaces in between. The server does not answer. */
  @Test
  void aControllerWhoseOwnListEnds_keepsIt_untilTheSelectedNamespacesAreKnown() throws Exception {
    ControllerManager manager =
        manager(
            List.of(definition("work", environment -> controller("work", Ownership.EVERYWHERE))),
            "controllers.work.watchNamespaces=[a]");
    manager.follow(
        new SelectedNamespaces(host, nowhere, "", _ -> {}, manager::namespacesChanged, clock));
    manager.open().await();
    await(() -> isRunning(manager));
    manager.reconfigure(configuration("kubernetes.watchNamespaceSelector=team=shop")).await();
    assertThat(manager.find("work").orElseThrow().add(GONE, Duration.ofHours(1)).await())
        .as("it is not stopped")
        .isInstanceOf(ActionResult.Applied.class);
    manager.close().await();
  }

  /** The second build waits. */
  private static Future<Void> waitFor(int build, CountDownLatch goOn) {
    try {
      if (build == 2) {
        goOn.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Future.succeededFuture();
  }
}
