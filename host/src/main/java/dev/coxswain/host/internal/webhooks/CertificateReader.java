// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads certificates with the classes of the JDK alone.
 *
 * <p>Thread rule: stateless.
 */
final class CertificateReader {

  private CertificateReader() {}

  static X509Certificate parse(byte[] pem) throws IOException, GeneralSecurityException {
    try (var text = new ByteArrayInputStream(pem)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(text);
    }
  }

  /** Returns the names and addresses of a certificate. */
  static List<String> names(X509Certificate certificate) throws GeneralSecurityException {
    List<String> names = new ArrayList<>();
    var found = certificate.getSubjectAlternativeNames();
    if (found != null) {
      found.forEach(one -> names.add(String.valueOf(one.get(1))));
    }
    return names;
  }
}
