// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;

/**
 * Deploys verticles on the event loops of the controllers, without waiting for any of these loops.
 *
 * <p>Vert.x completes a deployment on the context of its caller, and assigns an event loop of the
 * group to a caller from outside: a controller that blocks that loop would delay the start and the
 * stop of the others. Here the caller is a worker with a thread of its own.
 *
 * <p>Thread rule: any thread; futures complete on the worker.
 */
final class Deployments {

  private final Vertx vertx;
  private final Future<Context> worker;

  /** Starts the worker, while no controller can block a loop yet. */
  Deployments(Vertx vertx) {
    this.vertx = vertx;
    Worker verticle = new Worker();
    Promise<Context> ready = Promise.promise();
    vertx
        .deployVerticle(
            verticle,
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("coxswain-deployments")
                .setWorkerPoolSize(1))
        .onSuccess(_ -> ready.complete(verticle.context()))
        .onFailure(ready::fail);
    // Without a context: the future of Vert.x would call later listeners on the event loop of this
    // caller.
    worker = ready.future();
  }

  /** Deploys a verticle on an event loop of its own choice; the future has its id. */
  Future<String> deploy(Deployable verticle) {
    Promise<String> done = Promise.promise();
    worker
        .onSuccess(on ->
            on.runOnContext(_ -> {
              DeferredStart deferred = new DeferredStart(verticle);
              vertx.deployVerticle(deferred).onComplete(done);
              deferred.start();
            }))
        .onFailure(done::tryFail);
    return done.future();
  }

  /** Undeploys a verticle; the future completes when its event loop has done so. */
  Future<Void> undeploy(String id) {
    Promise<Void> done = Promise.promise();
    worker
        .onSuccess(on -> on.runOnContext(_ -> vertx.undeploy(id).onComplete(done)))
        .onFailure(done::tryFail);
    return done.future();
  }

  /**
   * A verticle that does not start before {@link Vertx#deployVerticle(Deployable)} has returned.
   *
   * <p>Vert.x registers its listener after it has scheduled the start. If the start has ended by
   * then, that listener runs in a later task of the event loop, behind the first attempts of the
   * controller: one that blocks the loop would never count as deployed, and never be reported.
   */
  private static final class DeferredStart implements Deployable {
    private final Deployable verticle;
    private final Promise<Void> returned = Promise.promise();

    DeferredStart(Deployable verticle) {
      this.verticle = verticle;
    }

    void start() {
      returned.complete();
    }

    @Override
    public Future<?> deploy(Context loop) {
      Promise<Object> started = Promise.promise();
      returned
          .future()
          .onSuccess(_ ->
              loop.runOnContext(_ -> {
                try {
                  verticle.deploy(loop).onComplete(started);
                } catch (Throwable e) { // as Vert.x does: a broken jar fails with an Error
                  started.fail(e);
                }
              }));
      return started.future();
    }

    @Override
    public Future<?> undeploy(Context loop) {
      try {
        return verticle.undeploy(loop);
      } catch (Throwable e) { // Vert.x would leave it deployed, and its waiter waiting
        return Future.failedFuture(e);
      }
    }
  }

  private static final class Worker extends VerticleBase {
    Context context() {
      return context;
    }
  }
}
