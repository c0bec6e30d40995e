// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
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
      Pattern.compile("-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([^-]*)-----END \\1-----");

  /** Tags of DER. */
  private static final int OCTETS = 4;

  private static final int SEQUENCE = 0x30;

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
   * @param certified the public key of its certificate, which has the algorithm and the curve
   * @throws GeneralSecurityException when there is none, or it cannot be read
   */
  static PrivateKey key(byte[] pem, PublicKey certified) throws GeneralSecurityException {
    Matcher block = KEY.matcher(text(pem));
    if (!block.find()) {
      throw new GeneralSecurityException(
          text(pem).contains("ENCRYPTED")
              ? "the private key is encrypted, which is not supported"
              : "it contains no private key in PEM");
    }
    String algorithm = certified.getAlgorithm();
    try {
      byte[] der = Base64.getDecoder().decode(block.group(2).replaceAll("\\s", ""));
      byte[] pkcs8 =
          block.group(1).equals("PRIVATE KEY") ? der : wrapped(der, certified.getEncoded());
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new GeneralSecurityException(
          "the private key cannot be read, or is not one of " + algorithm + " as the certificate's",
          e);
    }
  }

  /**
   * Returns a key of PKCS #1 or SEC 1 in PKCS #8: a sequence of version, algorithm and key.
   *
   * @param certified the public key, a sequence that begins with the algorithm
   */
  private static byte[] wrapped(byte[] key, byte[] certified) {
    int start = content(certified, 0);
    int end = content(certified, start) + length(certified, start);
    ByteArrayOutputStream inner = new ByteArrayOutputStream();
    inner.writeBytes(new byte[] {2, 1, 0});
    inner.write(certified, start, end - start);
    inner.writeBytes(element(OCTETS, key));
    return element(SEQUENCE, inner.toByteArray());
  }

  /** Returns where the content of an element of DER begins. */
  private static int content(byte[] der, int at) {
    return at + 2 + (der[at + 1] < 0 ? der[at + 1] & 0x7f : 0);
  }

  private static int length(byte[] der, int at) {
    int length = der[at + 1] < 0 ? 0 : der[at + 1];
    for (int i = at + 2; i < content(der, at); i++) {
      length = (length << Byte.SIZE) | (der[i] & 0xff);
    }
    return length;
  }

  private static byte[] element(int tag, byte[] content) {
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    if (content.length < 0x80) {
      element.write(content.length);
    } else {
      element.writeBytes(
          new byte[] {(byte) 0x82, (byte) (content.length >> Byte.SIZE), (byte) content.length});
    }
    element.writeBytes(content);
    return element.toByteArray();
  }

  private static String text(byte[] pem) {
    return new String(pem, StandardCharsets.ISO_8859_1);
  }
}
