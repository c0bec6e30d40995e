// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.peer;

import io.vertx.core.net.TrustOptions;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the server certificate of another replica when it is the current or the previous
 * certificate of this replica. All replicas use the certificate of one Secret. So only the holder of
 * its key receives the tokens of callers, whatever address is in a Lease, and host names are not
 * verified.
 *
 * <p>Thread rule: any thread.
 */
public final class PeerTrust extends X509ExtendedTrustManager {

  private volatile List<X509Certificate> known = List.of();

  /** Replaces the certificate; the previous one remains valid. */
  public synchronized void use(X509Certificate certificate) {
    if (known.isEmpty() || !known.getFirst().equals(certificate)) {
      known = known.isEmpty() ? List.of(certificate) : List.of(certificate, known.getFirst());
    }
  }

  /** Returns whether there is a certificate. */
  boolean usable() {
    return !known.isEmpty();
  }

  TrustOptions options() {
    return TrustOptions.wrap(this);
  }

  private void check(X509Certificate @Nullable [] chain) throws CertificateException {
    if (chain == null || chain.length == 0 || !known.contains(chain[0])) {
      throw new CertificateException("its certificate is not the one of this replica");
    }
    chain[0].checkValidity();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    throw notForClients();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    throw notForClients();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw notForClients();
  }

  private static CertificateException notForClients() {
    return new CertificateException("client certificates are not accepted");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
