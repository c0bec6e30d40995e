// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.view.QueueSnapshot;
import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** An intake of requests from many threads. */
interface IntakeSubject extends AutoCloseable {
  String COXSWAIN = "coxswain";
  String COXSWAIN_RECONCILING = "coxswainReconciling";
  String OFFICIAL_JAVA = "officialJava";
  String OFFICIAL_JAVA_RECONCILING = "officialJavaReconciling";

  /** Adds a request; any thread. */
  void add(Request key);

  /** Returns whether everything that was added has been taken over (and, if it is, reconciled). */
  boolean isSettled();

  @Override
  void close();

  static IntakeSubject create(String name, Vertx vertx) {
    return switch (name) {
      case COXSWAIN -> new Coxswain(vertx, true);
      case COXSWAIN_RECONCILING -> new Coxswain(vertx, false);
      case OFFICIAL_JAVA -> new OfficialJava(false);
      case OFFICIAL_JAVA_RECONCILING -> new OfficialJava(true);
      default -> throw new IllegalArgumentException("there is no intake \"" + name + "\"");
    };
  }

  /** A controller on an event loop; paused, or with a reconciler that has nothing to do. */
  final class Coxswain implements IntakeSubject {
    private final ControllerRig<Request> rig;
    private final boolean paused;

    Coxswain(Vertx vertx, boolean paused) {
      this.paused = paused;
      Future<Result> done = Future.succeededFuture(Result.done());
      this.rig = ControllerRig.async(vertx, RequestFormat.ofRequest(), (key, context) -> done);
      if (paused) {
        rig.handle().pause("benchmark", null).await();
      }
    }

    @Override
    public void add(Request key) {
      rig.sink().add(key);
    }

    @Override
    public boolean isSettled() {
      if (rig.sink().pending() != 0) {
        return false;
      }
      if (paused) {
        return true;
      }
      QueueSnapshot now = rig.handle().snapshot();
      return now.ready() == 0 && now.inFlight() == 0;
    }

    @Override
    public void close() {
      rig.close();
    }
  }

  /** The work queue of the official Java client, without or with a thread that empties it. */
  final class OfficialJava implements IntakeSubject {
    private final DefaultWorkQueue<Request> queue = new DefaultWorkQueue<>();
    private final boolean reconciling;

    OfficialJava(boolean reconciling) {
      this.reconciling = reconciling;
      if (reconciling) {
        Delays.Worker.start("official-java-worker", this::work);
      }
    }

    private void work() throws InterruptedException {
      for (Request key = queue.get(); key != null; key = queue.get()) {
        queue.done(key);
      }
    }

    @Override
    public void add(Request key) {
      queue.add(key);
    }

    @Override
    public boolean isSettled() {
      return !reconciling || queue.length() == 0;
    }

    @Override
    public void close() {
      queue.shutDown();
    }
  }
}
