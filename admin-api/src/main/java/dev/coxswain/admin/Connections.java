// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Map;
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
  private final Map<HttpConnection, Long> waiting = new HashMap<>(); // values are timers
  private int open;

  Connections(Vertx vertx, AdminOptions options) {
    this.vertx = vertx;
    this.options = options;
  }

  void opened(HttpConnection connection) {
    if (open >= options.maxConnections()) {
      log.atDebug().addKeyValue("limit", options.maxConnections()).log("Connection refused");
      connection.close();
      return;
    }
    open++;
    await(connection, options.requestTimeout().toMillis());
    connection.closeHandler(closed -> {
      open--;
      requested(connection);
    });
  }

  /** A request head is complete. */
  void requested(HttpConnection connection) {
    Long timer = waiting.remove(connection);
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
  }

  /** A request has been answered; the next one may take its time, but not for ever. */
  void answered(HttpConnection connection) {
    requested(connection);
    await(
        connection,
        Math.max(options.idleTimeout().toMillis(), options.requestTimeout().toMillis() + 1000));
  }

  private void await(HttpConnection connection, long millis) {
    waiting.put(
        connection,
        vertx.setTimer(
            millis,
            timer -> {
              waiting.remove(connection); // it may have been closed before this was set
              connection.close();
            }));
  }
}
