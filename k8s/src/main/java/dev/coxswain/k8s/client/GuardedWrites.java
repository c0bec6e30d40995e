// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.route.ClientConnections;
import dev.coxswain.reconcile.LostOwnershipException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import okhttp3.ConnectionPool;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The HTTP client of guarded writes. A write that this replica gave up must not reach the server
 * later, so two things differ from other requests:
 *
 * <ul>
 *   <li>The guard is checked once more right before the bytes are sent: connecting, credentials and
 *       a resend on another connection take time after the first check.
 *   <li>Connections are HTTP/1.1 with {@code SO_LINGER} 0. The end of a call closes its connection,
 *       and what waits in the send buffer is discarded. With HTTP/2 only the stream would end, and
 *       bytes behind a network cut would arrive when the cut heals.
 * </ul>
 *
 * A proxy in between may still hold a request back; the server's own time limit, counted from its
 * receipt, bounds nothing then.
 */
final class GuardedWrites {

  /** Idle connections: a write each at the same time, and not one for every worker for ever. */
  private static final int IDLE = 32;

  private GuardedWrites() {}

  /**
   * Completes a client that has credentials and limits.
   *
   * @param sockets its connections, which may lead through a proxy
   */
  static OkHttpClient build(OkHttpClient.Builder client, SocketFactory sockets) {
    return client
        .protocols(List.of(Protocol.HTTP_1_1))
        .socketFactory(new WithoutLinger(sockets))
        .connectionPool(new ConnectionPool(IDLE, 1, TimeUnit.MINUTES))
        .addNetworkInterceptor(GuardedWrites::check)
        .build();
  }

  private static Response check(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    WriteGuard guard = request.tag(WriteGuard.class);
    if (guard != null) {
      permit(guard);
    }
    return chain.proceed(request);
  }

  /**
   * Returns how long a write may take that is sent now.
   *
   * @throws Refused when the guard does not permit it, or throws
   */
  static Duration permit(WriteGuard guard) throws Refused {
    String refusal;
    try {
      Duration left = guard.timeLeft();
      if (left.compareTo(WriteGuard.LEAST) >= 0) {
        return left;
      }
      refusal = guard.reason();
    } catch (Throwable e) {
      refusal = "the write guard threw " + UserCode.text(e);
    }
    guard.refused();
    throw new Refused(refusal);
  }

  /** The guard refused the bytes of a request. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }

    /** Returns the exception for the caller of a write. */
    LostOwnershipException of(String method, String path) {
      return new LostOwnershipException(method + " " + path + " was not sent: " + getMessage());
    }
  }

  /** Sockets that discard what they have not sent when they are closed. */
  private static final class WithoutLinger extends ClientConnections {
    private final SocketFactory sockets;

    WithoutLinger(SocketFactory sockets) {
      this.sockets = sockets;
    }

    @Override
    public Socket createSocket() throws IOException {
      Socket socket = sockets.createSocket();
      socket.setSoLinger(true, 0);
      return socket;
    }
  }
}
