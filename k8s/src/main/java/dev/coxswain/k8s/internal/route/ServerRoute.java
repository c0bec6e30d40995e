// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * How the connections to one API server are made.
 *
 * <p>Thread rule: immutable.
 *
 * @param address its address, without a slash at the end
 * @param tls which certificates are trusted; null when neither the server nor the proxy has TLS
 * @param proxy the proxy in between, or null; then those of the JVM's properties apply
 */
public record ServerRoute(
    String address, @Nullable TlsSettings tls, @Nullable ProxySettings proxy) {

  /** Returns whether the server has TLS. */
  public boolean isSecure() {
    return address.startsWith("https://");
  }

  /**
   * Returns the connections to the server with a client certificate.
   *
   * @throws NullPointerException when it has no TLS
   */
  public SSLSocketFactory sockets(ClientKeys keys) throws GeneralSecurityException {
    return Objects.requireNonNull(tls, "tls").sockets(keys);
  }

  /** Returns a builder of clients without credentials. */
  public OkHttpClient.Builder client() throws GeneralSecurityException {
    OkHttpClient.Builder http = new OkHttpClient.Builder();
    // A redirect would lead the credentials of a client certificate, and the body of a write, away.
    http.followRedirects(false);
    if (isSecure()) {
      Objects.requireNonNull(tls, "tls").apply(http);
    } else {
      // Otherwise the client reads the authorities of the JDK.
      http.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT));
    }
    if (proxy != null) {
      proxy.apply(http, tls);
    }
    return http;
  }
}
