// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.time.Duration;
import okhttp3.OkHttpClient;

/**
 * The HTTP clients of a transport. All but that of guarded writes share their connections.
 *
 * @param calls for single objects
 * @param lists for pages of lists
 * @param watches for watches, which end when they are silent
 * @param writes for guarded writes, whose guard is checked again when a connection sends them
 */
record HttpClients(
    OkHttpClient calls, OkHttpClient lists, OkHttpClient watches, OkHttpClient writes) {

  /** The number of pings in the idle timeout; two must be missed before a connection is closed. */
  private static final int PINGS_PER_IDLE_TIMEOUT = 3;

  static HttpClients of(ServerAccess server, KubernetesOptions options) {
    // A dead HTTP/2 connection carries many requests: a missed ping ends all of them, and the next
    // ones get a new connection. On HTTP/1.1 there are no pings and one connection per watch.
    OkHttpClient base =
        server
            .http()
            .newBuilder()
            .pingInterval(
                Duration.ofMillis(options.idleTimeout().toMillis() / PINGS_PER_IDLE_TIMEOUT))
            .connectionSpecs(CipherOrder.of(server.http().connectionSpecs()))
            .addNetworkInterceptor(OneShotBody::answer)
            .build();
    OkHttpClient calls = limited(base, options.callTimeout());
    return new HttpClients(
        calls,
        limited(base, options.listTimeout()),
        base.newBuilder().callTimeout(Duration.ZERO).readTimeout(options.idleTimeout()).build(),
        GuardedWrites.build(calls.newBuilder(), calls.socketFactory()));
  }

  private static OkHttpClient limited(OkHttpClient base, Duration limit) {
    return base.newBuilder().callTimeout(limit).readTimeout(limit).build();
  }
}
