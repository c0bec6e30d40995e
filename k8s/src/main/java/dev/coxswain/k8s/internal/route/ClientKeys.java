// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * One client certificate, presented whatever authorities the server names: otherwise the request
 * would be anonymous.
 *
 * <p>Thread rule: immutable.
 */
public final class ClientKeys extends X509ExtendedKeyManager {

  private static final String ALIAS = "client";

  private final List<X509Certificate> chain;
  private final PrivateKey key;

  private ClientKeys(List<X509Certificate> chain, PrivateKey key) {
    this.chain = chain;
    this.key = key;
  }

  /**
   * Reads a certificate with the chain to its authority, and its key.
   *
   * @throws GeneralSecurityException when one cannot be read, or they do not belong together
   */
  public static ClientKeys of(byte[] certificate, byte[] key) throws GeneralSecurityException {
    List<X509Certificate> chain = PemText.certificates(certificate);
    PublicKey certified = chain.getFirst().getPublicKey();
    PrivateKey privateKey = PemText.key(key, certified);
    byte[] text = {1};
    Signature signature = Signature.getInstance(signature(certified));
    signature.initSign(privateKey);
    signature.update(text);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    signature.update(text);
    if (!signature.verify(signed)) {
      throw new GeneralSecurityException("the key is not that of the certificate");
    }
    return new ClientKeys(chain, privateKey);
  }

  private static String signature(PublicKey key) {
    return switch (key.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> key.getAlgorithm();
    };
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return List.of(keyTypes).contains(key.getAlgorithm()) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return chooseClientAlias(keyTypes, issuers, null);
  }

  @Override
  public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return new String[] {ALIAS};
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return chain.toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return key;
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
