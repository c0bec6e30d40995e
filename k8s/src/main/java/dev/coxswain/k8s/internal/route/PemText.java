// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import io.kubernetes.client.util.SSLUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and keys as PEM. Other blocks and text around them are skipped: some files have
 * certificate and key together. No message has a part of the content.
 *
 * <p>Thread rule: stateless.
 */
final class PemText {

  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----");
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----[^-]*-----END \\1-----");

  private PemText() {}

  /**
   * Returns the certificates, at least one.
   *
   * @throws GeneralSecurityException when there is none, or one cannot be read
   */
  static List<X509Certificate> certificates(byte[] pem) throws GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    List<X509Certificate> found = new ArrayList<>();
    Matcher block = CERTIFICATE.matcher(text(pem));
    while (block.find()) {
      try {
        byte[] der = Base64.getDecoder().decode(block.group(1).replaceAll("\\s", ""));
        found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
      } catch (IllegalArgumentException | GeneralSecurityException e) {
        throw new GeneralSecurityException("it has a certificate that cannot be read", e);
      }
    }
    if (found.isEmpty()) {
      throw new GeneralSecurityException("it contains no certificate in PEM");
    }
    return found;
  }

  /**
   * Returns the private key, in PKCS #8, PKCS #1 or SEC 1.
   *
   * @param algorithm its algorithm, as the JDK calls it
   * @throws GeneralSecurityException when there is none, or it cannot be read
   */
  static PrivateKey key(byte[] pem, String algorithm) throws GeneralSecurityException {
    Matcher block = KEY.matcher(text(pem));
    if (!block.find()) {
      throw new GeneralSecurityException(
          text(pem).contains("ENCRYPTED")
              ? "the private key is encrypted, which is not supported"
              : "it contains no private key in PEM");
    }
    try {
      PrivateKey key = SSLUtils.loadKey(block.group().getBytes(StandardCharsets.US_ASCII));
      // As the JDK has it: the library of the parser has other names for algorithms.
      return KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      throw new GeneralSecurityException(
          "the private key cannot be read, or is not one of " + algorithm + " as the certificate's",
          e);
    }
  }

  private static String text(byte[] pem) {
    return new String(pem, StandardCharsets.ISO_8859_1);
  }
}
