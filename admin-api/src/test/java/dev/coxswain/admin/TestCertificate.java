// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.testing.SelfSigned;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate that its own key has signed. */
public final class TestCertificate {

  private static final String PASSWORD = SelfSigned.PASSWORD;

  private TestCertificate() {}

  public static ServerCertificate make(Path folder) throws Exception {
    KeyStore store = SelfSigned.add(folder.resolve("key.p12"), "api", "CN=localhost");
    return new ServerCertificate(
        pem("CERTIFICATE", store.getCertificate("api").getEncoded()),
        pem("PRIVATE KEY", store.getKey("api", PASSWORD.toCharArray()).getEncoded()));
  }

  private static byte[] pem(String what, byte[] content) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return ("-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }
}
