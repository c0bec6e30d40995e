// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.reader.Section;
import org.jspecify.annotations.Nullable;

/**
 * A certificate, in two files that are reloaded when they change.
 *
 * <p>Thread rule: immutable.
 *
 * @param certificate the file with the certificate and those of its authorities, as PEM
 * @param key the file with the private key, as PEM
 */
public record TlsFiles(String certificate, String key) {

  /** Reads a section {@code tls}; null when it names no files. */
  static @Nullable TlsFiles read(Section section) {
    String certificate = section.text("certificate");
    String key = section.text("key");
    if ((certificate == null) != (key == null)) {
      section.fault(
          certificate == null ? "certificate" : "key", "a file: certificate and key go together");
    }
    return certificate == null || key == null ? null : new TlsFiles(certificate, key);
  }
}
