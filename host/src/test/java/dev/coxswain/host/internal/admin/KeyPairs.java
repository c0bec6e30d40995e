// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import dev.coxswain.testing.SelfSigned;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates that their own keys have signed.
 *
 * @param store holds them with their keys
 */
public record KeyPairs(KeyStore store) {

  private static final String PASSWORD = SelfSigned.PASSWORD;

  /** Makes a pair for each name. */
  public static KeyPairs make(Path folder, String... names) throws Exception {
    Path file = folder.resolve("keys.p12");
    KeyStore store = KeyStore.getInstance("PKCS12");
    for (String name : names) {
      store = SelfSigned.add(file, name, "CN=" + name, "-ext", "san=ip:127.0.0.1");
    }
    return new KeyPairs(store);
  }

  /** Returns a certificate as PEM. */
  public String certificate(String name) throws Exception {
    return pem("CERTIFICATE", store.getCertificate(name).getEncoded());
  }

  /** Returns its key as PEM. */
  public String key(String name) throws Exception {
    return pem("PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
  }

  /** Returns a client that trusts all of them. */
  public HttpClient client() throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    for (String name : java.util.Collections.list(store.aliases())) {
      trusted.setCertificateEntry(name, store.getCertificate(name));
    }
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  private static String pem(String what, byte[] content) {
    return "-----BEGIN "
        + what
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END "
        + what
        + "-----\n";
  }
}
