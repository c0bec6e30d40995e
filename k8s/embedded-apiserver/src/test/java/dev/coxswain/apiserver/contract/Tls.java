// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whom a client trusts and what it shows. PEM is read by Vert.x, which knows the forms of keys that
 * kubeconfigs hold. Immutable; any thread.
 *
 * @param authority certificates in PEM; empty for those of the machine
 * @param insecure whether to trust everybody, whatever the name
 */
record Tls(Optional<Buffer> authority, boolean insecure) {

  SSLContext anonymous() {
    return context(null);
  }

  SSLContext with(Buffer certificate, Buffer key) {
    return context(new PemKeyCertOptions().addCertValue(certificate).addKeyValue(key));
  }

  private SSLContext context(@Nullable PemKeyCertOptions shown) {
    Vertx vertx = Vertx.vertx(); // reads files only, and there are none
    try {
      KeyManager @Nullable [] keys =
          shown == null ? null : shown.getKeyManagerFactory(vertx).getKeyManagers();
      TrustManager @Nullable [] trusted = null;
      if (insecure) {
        trusted = new TrustManager[] {new Everybody()};
      } else if (authority.isPresent()) {
        trusted =
            new PemTrustOptions()
                .addCertValue(authority.get())
                .getTrustManagerFactory(vertx)
                .getTrustManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trusted, null);
      return context;
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "the certificates of the kubeconfig cannot be used: " + e.getMessage(), e);
    } finally {
      vertx.close();
    }
  }

  /** Being of the extended kind, it is asked about the name as well, and does not look. */
  private static final class Everybody extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
