// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes an authority of our own, and certificates that it signs. The jars of the library are signed,
 * and the JVM checks the signature when it loads the first class: that takes a quarter of a second
 * of processor time, so nothing that every start needs refers to this class.
 *
 * <p>Thread rule: immutable; making keys takes milliseconds, so not on an event loop.
 */
final class CertificateFactory {

  private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
  static final Duration LIFE = Duration.ofDays(365);

  /** Clocks of other machines may be behind. */
  private static final Duration SKEW = Duration.ofHours(1);

  private static final String SUBJECT = "CN=coxswain-webhooks";
  private static final int SERIAL_BITS = 120;

  private final SecureRandom random = new SecureRandom();

  /**
   * A certificate and its key, as PEM.
   *
   * @param certificate the certificate
   * @param key the key, not encrypted
   */
  record Pair(String certificate, String key) {
    /** Does not contain the key. */
    @Override
    public String toString() {
      return "Pair[" + certificate.hashCode() + "]";
    }
  }

  /** Makes a new authority. */
  Pair authority(Instant now) throws IOException, GeneralSecurityException {
    KeyPair keys = keys();
    X500Name name = new X500Name(SUBJECT + "-authority-" + now.getEpochSecond());
    X509v3CertificateBuilder builder =
        builder(name, name, keys, now, now.plus(AUTHORITY_LIFE))
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
            .addExtension(
                Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
    return signed(builder, keys.getPrivate(), keys.getPrivate());
  }

  /**
   * Makes a certificate of a server.
   *
   * @param authority its authority
   * @param names the names and addresses of the server
   */
  Pair server(Pair authority, List<String> names, Instant now)
      throws IOException, GeneralSecurityException {
    X509Certificate issuer =
        CertificateReader.parse(authority.certificate().getBytes(StandardCharsets.US_ASCII));
    KeyPair keys = keys();
    Instant end = now.plus(LIFE);
    Instant last = issuer.getNotAfter().toInstant();
    X509v3CertificateBuilder builder =
        builder(
                X500Name.getInstance(issuer.getSubjectX500Principal().getEncoded()),
                new X500Name(SUBJECT),
                keys,
                now,
                end.isBefore(last) ? end : last)
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
            .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
            .addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(
                    names.stream().map(CertificateFactory::general).toArray(GeneralName[]::new)));
    return signed(builder, keys.getPrivate(), privateKey(authority.key()));
  }

  private static GeneralName general(String name) {
    return new GeneralName(isAddress(name) ? GeneralName.iPAddress : GeneralName.dNSName, name);
  }

  static boolean isAddress(String name) {
    return name.contains(":") || name.matches("\\d{1,3}(\\.\\d{1,3}){3}");
  }

  private X509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, KeyPair keys, Instant now, Instant end) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(SERIAL_BITS, random),
        Date.from(now.minus(SKEW)),
        Date.from(end),
        subject,
        keys.getPublic());
  }

  private static Pair signed(X509v3CertificateBuilder builder, PrivateKey key, PrivateKey signer)
      throws IOException, GeneralSecurityException {
    try {
      byte[] certificate =
          builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer)).getEncoded();
      return new Pair(pem("CERTIFICATE", certificate), pem("PRIVATE KEY", key.getEncoded()));
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("the certificate cannot be signed", e);
    }
  }

  private KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    return generator.generateKeyPair();
  }

  private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
    String body = pem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    return KeyFactory.getInstance("EC")
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body)));
  }

  private static String pem(String kind, byte[] content) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(
            kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content), kind);
  }
}
