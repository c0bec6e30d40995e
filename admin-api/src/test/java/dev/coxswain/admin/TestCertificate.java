// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.config.AdminCertificate;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** A certificate that its own key has signed, made anew by the JDK's keytool. */
public final class TestCertificate {

  private static final String PASSWORD = "changeit";

  private TestCertificate() {}

  public static AdminCertificate make(Path folder) throws Exception {
    Path file = folder.resolve("key.p12");
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "api",
                "-dname",
                "CN=localhost",
                "-keyalg",
                "EC",
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
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(Files.readString(log));
      }
    } finally {
      process.destroy();
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return new AdminCertificate(
        pem("CERTIFICATE", store.getCertificate("api").getEncoded()),
        pem("PRIVATE KEY", store.getKey("api", PASSWORD.toCharArray()).getEncoded()));
  }

  private static byte[] pem(String what, byte[] content) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return ("-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }
}
