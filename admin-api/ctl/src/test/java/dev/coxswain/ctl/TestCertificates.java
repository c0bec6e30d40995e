// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.testing.SelfSigned;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A self-signed certificate for 127.0.0.1.
 *
 * @param name of its subject
 * @param store holds it with its key
 */
record TestCertificates(String name, KeyStore store) {

  private static final String PASSWORD = SelfSigned.PASSWORD;

  static TestCertificates make(Path folder, String name) throws Exception {
    KeyStore store =
        SelfSigned.add(folder.resolve("keys.p12"), name, "CN=" + name, "-ext", "san=ip:127.0.0.1");
    return new TestCertificates(name, store);
  }

  /** Returns the certificate as PEM. */
  String certificate() throws Exception {
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'})
            .encodeToString(store.getCertificate(name).getEncoded())
        + "\n-----END CERTIFICATE-----\n";
  }

  /** Returns the context of a server that presents the certificate. */
  SSLContext serverContext() throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
