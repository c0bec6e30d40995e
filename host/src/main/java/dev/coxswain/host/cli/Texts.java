// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.Main;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The longer texts that commands print. */
final class Texts {
  private Texts() {}

  static String resource(String name) {
    try (InputStream in = Main.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing in this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
