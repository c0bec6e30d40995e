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
 * Which certificate another replica must show: the one that this replica shows itself, or showed
 * before. All replicas have the same, from the same Secret; so the tokens of callers are sent to
 * nobody but who has its key, whatever address stands in a Lease, and no name needs to be in it.
 *
 * <p>Thread rule: any thread.
 */
public final class PeerTrust extends X509ExtendedTrustManager {

  private volatile List<X509Certificate> known = List.of();

  /** Takes another certificate; the one before is still good. */
  public synchronized void use(X509Certificate certificate) {
    if (known.isEmpty() || !known.getFirst().equals(certificate)) {
      known = known.isEmpty() ? List.of(certificate) : List.of(certificate, known.getFirst());
    }
  }

  /** Returns whether there is a certificate to compare with. */
  boolean usable() {
    return !known.isEmpty();
  }

  TrustOptions options() {
    return TrustOptions.wrap(this);
  }

  private void check(X509Certificate @Nullable [] chain) throws CertificateException {
    if (chain == null || chain.length == 0 || !known.contains(chain[0])) {
      throw new CertificateException("it does not show the certificate that this replica shows");
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
    return new CertificateException("replicas are not known by certificates when they ask");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
