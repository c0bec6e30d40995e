// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the number of connections, and the time each may hold on without a complete request head,
 * within limits. The idle timeout of the server alone would let a client go on for ever by sending
 * a byte now and then. Confined to the admin event loop.
 */
final class Connections {

  private static final Logger log = LoggerFactory.getLogger(Connections.class);

  private final Vertx vertx;
  private final AdminOptions options;
  private final Map<HttpConnection, Wait> open = new HashMap<>();

  Connections(Vertx vertx, AdminOptions options) {
    this.vertx = vertx;
    this.options = options;
  }

  void opened(HttpConnection connection) {
    if (open.size() >= options.maxConnections()) {
      log.atDebug().addKeyValue("limit", options.maxConnections()).log("Connection refused");
      connection.close();
      return;
    }
    Wait wait = new Wait(connection);
    open.put(connection, wait);
    wait.begin(options.requestTimeout().toMillis());
    connection.closeHandler(closed -> {
      open.remove(connection);
      wait.cancel();
    });
  }

  /** A request head is complete. */
  void requested(HttpConnection connection) {
    Wait wait = open.get(connection);
    if (wait != null) {
      wait.end();
    }
  }

  /** A request has been answered; the next one may take its time, but not for ever. */
  void answered(HttpConnection connection) {
    Wait wait = open.get(connection);
    if (wait != null) {
      wait.begin(
          Math.max(options.idleTimeout().toMillis(), options.requestTimeout().toMillis() + 1000));
    }
  }

  /**
   * How long a connection waits for a request. Its timer goes on from one wait to the next, and
   * only when it rings is it set anew: a request costs no timer. Later waits are never shorter.
   */
  private final class Wait {

    private final HttpConnection connection;
    private boolean waiting;
    private long until;
    private @Nullable Long timer;

    Wait(HttpConnection connection) {
      this.connection = connection;
    }

    void begin(long millis) {
      waiting = true;
      // Not by the clock of what is shown: timers go by this one.
      until = System.nanoTime() + millis * 1_000_000;
      if (timer == null) {
        timer = vertx.setTimer(millis, rung -> rung());
      }
    }

    void end() {
      waiting = false;
    }

    void cancel() {
      if (timer != null) {
        vertx.cancelTimer(timer);
      }
    }

    private void rung() {
      timer = null;
      if (!waiting) {
        return;
      }
      long left = until - System.nanoTime();
      if (left > 0) {
        timer = vertx.setTimer(left / 1_000_000 + 1, rung -> rung());
      } else {
        connection.close();
      }
    }
  }
}
