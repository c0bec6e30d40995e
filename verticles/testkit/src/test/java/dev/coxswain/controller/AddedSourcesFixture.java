// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A controller in virtual time with a registry of sources. */
abstract class AddedSourcesFixture {

  static final Request REQUEST = Request.of("shop", "cart");

  final VirtualTime time = new VirtualTime();
  final List<Request> reconciled = new ArrayList<>();
  final Controller.Builder<Request> builder = Controller.named("view");
  final SourceRegistry<Request> registry = builder.sourceRegistry();
  final StagedSource first = StagedSource.synced("first");

  private @Nullable ControllerTestKit<Request> kit;

  final ControllerTestKit<Request> kit() {
    ControllerTestKit<Request> running = kit;
    if (running == null) {
      running =
          ControllerTestKit.of(
              builder
                  .watches(first)
                  .reconciles((request, context) -> {
                    reconciled.add(request);
                    return Result.done();
                  }),
              time);
      kit = running;
    }
    return running;
  }

  final <S extends EventSource<Request>> Future<S> add(String name, Supplier<S> source) {
    kit();
    Future<S> added = registry.add(name, source);
    time.settle();
    return added;
  }

  final List<SourceStatus> shown() {
    return kit().handle().status().sources();
  }
}
