// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;

/**
 * The certificate of the servers of a training run. It is made outside of that run: the start cache
 * would otherwise contain classes that refer to those of signed jars, and each start would check
 * these jars.
 *
 * <p>Thread rule: stateless.
 */
public final class TrainingCertificate {

  /** The file of the authority. */
  public static final String AUTHORITY = "authority.pem";

  /** The file of the certificate, for the loopback address. */
  public static final String CERTIFICATE = "certificate.pem";

  /** The file of its key. */
  public static final String KEY = "key.pem";

  private TrainingCertificate() {}

  /** Writes the three files into a folder. */
  public static void write(Path folder) throws IOException, GeneralSecurityException {
    CertificateFactory factory = new CertificateFactory();
    Instant now = Instant.now();
    CertificateFactory.Pair authority = factory.authority(now);
    CertificateFactory.Pair server = factory.server(authority, List.of("127.0.0.1"), now);
    Files.writeString(folder.resolve(AUTHORITY), authority.certificate());
    Files.writeString(folder.resolve(CERTIFICATE), server.certificate());
    Files.writeString(folder.resolve(KEY), server.key());
  }
}
