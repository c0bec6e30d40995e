// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * The TLS certificate of a server, and its key.
 *
 * <p>Thread rule: immutable.
 */
public final class ServerCertificate {

  private static final byte[] SAMPLE = "coxswain".getBytes(StandardCharsets.UTF_8);

  private final Buffer chain;
  private final Buffer key;

  /**
   * Creates a certificate from PEM.
   *
   * @param chain the certificate, followed by those of its authorities
   * @param key the private key, not encrypted
   */
  public ServerCertificate(byte[] chain, byte[] key) {
    this.chain = Buffer.buffer(chain.clone());
    this.key = Buffer.buffer(key.clone());
  }

  public PemKeyCertOptions options() {
    return new PemKeyCertOptions().setCertValue(chain.copy()).setKeyValue(key.copy());
  }

  /**
   * Checks that both can be read and belong together. While a Secret is being replaced, one of them
   * may be the old one. Blocks.
   *
   * @throws IOException with the reason, which contains no part of the key
   */
  public void check(Vertx vertx) throws IOException {
    try {
      for (KeyManager manager : options().getKeyManagerFactory(vertx).getKeyManagers()) {
        if (manager instanceof X509KeyManager keys) {
          check(keys);
          return;
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      // Vert.x passes on the exceptions of the JDK's readers.
      throw new IOException("the certificate or its key cannot be read: " + e.getMessage(), e);
    }
    throw new IOException("the certificate or its key cannot be read");
  }

  /** Returns the certificate, without those of its authorities. Blocks. */
  public X509Certificate leaf() throws IOException {
    try (var text = new ByteArrayInputStream(chain.getBytes())) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(text);
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificate cannot be read: " + e.getMessage(), e);
    }
  }

  private static void check(X509KeyManager keys) throws IOException, GeneralSecurityException {
    for (String type : new String[] {"EC", "RSA", "EdDSA", "RSASSA-PSS", "Ed25519", "Ed448"}) {
      String[] aliases = keys.getServerAliases(type, null);
      if (aliases != null && aliases.length > 0) {
        X509Certificate certificate = keys.getCertificateChain(aliases[0])[0];
        if (!match(keys.getPrivateKey(aliases[0]), certificate)) {
          throw new IOException("the key does not belong to the certificate");
        }
        return;
      }
    }
    throw new IOException("the key is of a kind that TLS cannot use");
  }

  private static boolean match(PrivateKey key, X509Certificate certificate)
      throws GeneralSecurityException {
    if (!key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
      return false;
    }
    Signature signature =
        Signature.getInstance(
            switch (key.getAlgorithm()) {
              case "RSA" -> "SHA256withRSA";
              case "EC" -> "SHA256withECDSA";
              default -> key.getAlgorithm();
            });
    signature.initSign(key);
    signature.update(SAMPLE);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    signature.update(SAMPLE);
    return signature.verify(signed);
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "ServerCertificate[" + Arrays.hashCode(chain.getBytes()) + "]";
  }
}
