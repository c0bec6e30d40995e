// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A self-signed certificate for 127.0.0.1, made by the JDK's keytool.
 *
 * @param name of its subject
 * @param store holds it with its key
 */
record TestCertificates(String name, KeyStore store) {

  private static final String PASSWORD = "changeit";

  static TestCertificates make(Path folder, String name) throws Exception {
    Path file = folder.resolve("keys.p12");
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-ext",
                "san=ip:127.0.0.1",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(Files.readString(log));
      }
    } finally {
      process.destroy();
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
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
