// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;

/**
 * Trust in given authorities alone. It is set before the HTTP client is built, which would read all
 * authorities of the JDK otherwise.
 *
 * <p>Thread rule: stateless.
 */
final class AuthorityTrust {

  private AuthorityTrust() {}

  /**
   * Lets a client trust certificates of these authorities.
   *
   * @param authorities certificates, as PEM
   * @throws IOException when they are no certificates
   */
  static void apply(OkHttpClient.Builder http, byte[] authorities) throws IOException {
    try {
      KeyStore store = emptyStore();
      int count = 0;
      for (Certificate one :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(authorities))) {
        store.setCertificateEntry("authority" + count++, one);
      }
      if (count == 0) {
        throw new IOException("the certificate authority contains no certificate");
      }
      X509TrustManager manager = manager(store);
      http.sslSocketFactory(sockets(manager), manager);
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificate authority cannot be read: " + e.getMessage(), e);
    }
  }

  /** Loads the classes of TLS, which are several hundred. */
  static void loadAhead() throws IOException, GeneralSecurityException {
    sockets(manager(emptyStore()));
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  private static X509TrustManager manager(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return (X509TrustManager) factory.getTrustManagers()[0];
  }

  private static SSLSocketFactory sockets(X509TrustManager manager)
      throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {manager}, null);
    return context.getSocketFactory();
  }
}
