// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.ControllerTelemetry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SourceGroupTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  /** Otherwise the caller of explain would wait for as long as the source does. */
  @Test
  void aLookUpThatDoesNotEnd_isUnknownAfterAWhile() throws Exception {
    Promise<Presence> never = Promise.promise();
    SourceGroup<String> group = new SourceGroup<>(List.of(source(never)), ControllerTelemetry.NONE);
    Promise<List<Presence>> found = Promise.promise();
    vertx.getOrCreateContext().runOnContext(_ -> group.examine("key").onComplete(found));
    assertThat(found.future().await(60, TimeUnit.SECONDS)).isEmpty();
  }

  private static EventSource<String> source(Promise<Presence> looked) {
    return new EventSource<>() {
      @Override
      public String describe() {
        return "slow";
      }

      @Override
      public Future<Void> start(EventSink<String> sink) {
        return Future.succeededFuture();
      }

      @Override
      public Future<Void> stop() {
        return Future.succeededFuture();
      }

      @Override
      public Future<Presence> examine(String request) {
        return looked.future();
      }
    };
  }
}
