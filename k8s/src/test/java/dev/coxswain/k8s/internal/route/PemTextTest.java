// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTextTest {

  /** What is before the key of RSA in PKCS #8, with 2048 bits. */
  private static final int BEFORE_RSA = 26;

  private static byte[] pem(String name, byte[] content) {
    return ("some text\n-----BEGIN "
            + name
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
            + "\n-----END "
            + name
            + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static PublicKey curve() throws GeneralSecurityException {
    return KeyPairGenerator.getInstance("EC").generateKeyPair().getPublic();
  }

  @Test
  void keysOfRsa_areReadInBothForms() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair pair = generator.generateKeyPair();
    PrivateKey key = pair.getPrivate();
    byte[] inner = Arrays.copyOfRange(key.getEncoded(), BEFORE_RSA, key.getEncoded().length);
    assertThat(PemText.key(pem("PRIVATE KEY", key.getEncoded()), pair.getPublic())).isEqualTo(key);
    assertThat(PemText.key(pem("RSA PRIVATE KEY", inner), pair.getPublic())).isEqualTo(key);
    assertThatThrownBy(() -> PemText.key(pem("PRIVATE KEY", key.getEncoded()), curve()))
        .hasMessageContaining("not one of EC");
  }

  @Test
  void keysOfEllipticCurves_areReadInBothForms() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair pair = generator.generateKeyPair();
    PrivateKey key = pair.getPrivate();
    BigInteger number = ((ECPrivateKey) key).getS();
    ByteArrayOutputStream sec1 = new ByteArrayOutputStream();
    HexFormat hex = HexFormat.of();
    sec1.write(hex.parseHex("30310201010420"));
    sec1.write(hex.parseHex(String.format("%064x", number)));
    sec1.write(hex.parseHex("a00a06082a8648ce3d030107"));
    for (byte[] pem :
        List.of(pem("PRIVATE KEY", key.getEncoded()), pem("EC PRIVATE KEY", sec1.toByteArray()))) {
      assertThat(PemText.key(pem, pair.getPublic()))
          .isInstanceOfSatisfying(
              ECPrivateKey.class, read -> assertThat(read.getS()).isEqualTo(number));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CERTIFICATE", "PUBLIC KEY", "ENCRYPTED PRIVATE KEY", "PRIVATE KEY"})
  void anythingElse_isNoKey(String name) {
    assertThatThrownBy(() -> PemText.key(pem(name, new byte[] {1}), curve()))
        .isInstanceOf(GeneralSecurityException.class)
        .hasMessageContaining("private key");
  }

  @Test
  void aTextWithoutCertificates_hasNone() {
    assertThatThrownBy(() -> PemText.certificates(pem("PRIVATE KEY", new byte[] {1})))
        .hasMessageContaining("no certificate");
    assertThatThrownBy(() -> PemText.certificates(pem("CERTIFICATE", new byte[] {1})))
        .hasMessageContaining("cannot be read");
  }
}
