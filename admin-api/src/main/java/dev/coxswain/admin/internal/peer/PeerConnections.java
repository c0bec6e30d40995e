// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.concurrent.TimeUnit;

/**
 * The connections by which replicas are asked. Bounded are the time to make one, how many there are
 * to each replica, the questions that wait for one, and how long one is used.
 */
final class PeerConnections {

  private static final int CONNECT_MILLIS = 1000;
  private static final int MAX_HEADERS = 8192;
  private static final int MAX_CHUNK = 32 * 1024;
  private static final int KEEP_ALIVE_SECONDS = 10; // the server gives up after 30
  private static final int MAX_LIFETIME_SECONDS = 300; // then its certificate is looked at again

  private PeerConnections() {}

  /**
   * Creates a client.
   *
   * @param connections to each replica
   * @param waiting how many questions may wait for one of them
   * @param receiveBuffer what a connection takes that has not been read; -1 for what the system
   *     finds best
   */
  static HttpClient client(Vertx vertx, int connections, int waiting, int receiveBuffer) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setConnectTimeout(CONNECT_MILLIS)
            .setReceiveBufferSize(receiveBuffer)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADERS)
            .setMaxChunkSize(MAX_CHUNK)
            .setDecompressionSupported(false),
        new PoolOptions()
            .setHttp1MaxSize(connections)
            .setMaxWaitQueueSize(waiting)
            .setMaxLifetimeUnit(TimeUnit.SECONDS)
            .setMaxLifetime(MAX_LIFETIME_SECONDS));
  }
}
