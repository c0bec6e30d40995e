// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A vendor in this process, which runs as long as the controller does. It delivers no events.
 *
 * <p>Thread rule: as every source; {@link #uri} on any thread.
 */
final class VendorSource implements EventSource<Request> {

  private static final Logger LOG = LoggerFactory.getLogger(VendorSource.class);
  private static final Duration LATENCY = Duration.ofMillis(20);
  private static final int RATE_PER_SECOND = 500;

  // Written on the event loop, read by attempts.
  private volatile @Nullable VendorServer server;

  @Override
  public String describe() {
    return "vendor" + Optional.ofNullable(server).map(found -> " at " + found.uri()).orElse("");
  }

  @Override
  public Future<Void> start(EventSink<Request> sink) {
    try {
      VendorServer started = new VendorServer(LATENCY, RATE_PER_SECOND);
      server = started;
      LOG.atInfo().addKeyValue("url", started.uri()).log("vendor API started");
      return Future.succeededFuture();
    } catch (IOException e) {
      return Future.failedFuture(e);
    }
  }

  @Override
  public Future<Void> stop() {
    VendorServer running = server;
    if (running != null) {
      running.close();
    }
    return Future.succeededFuture();
  }

  URI uri() {
    VendorServer running = server;
    if (running == null) {
      throw new IllegalStateException("the vendor has not started yet");
    }
    return running.uri();
  }
}
