// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.Console;
import dev.coxswain.ctl.cli.CtlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where the token comes from: never an argument, since everybody on a machine sees those. */
public final class TokenSource {

  static final String VARIABLE = "COXSWAIN_TOKEN";
  static final String FILE_VARIABLE = "COXSWAIN_TOKEN_FILE";
  private static final long MAX_SIZE = 64 * 1024;

  private TokenSource() {}

  /** Returns what the flag, or else the variables name; null when they name nothing. */
  static @Nullable Supplier<String> given(Arguments arguments, Console console) {
    String file = arguments.value(ConnectionFlags.TOKEN_FILE);
    String inVariable = console.variable(VARIABLE);
    if (file == null && inVariable != null) {
      String token = checked(VARIABLE, inVariable);
      return () -> token;
    }
    String path = file != null ? file : console.variable(FILE_VARIABLE);
    return path == null ? null : () -> ofFile(Path.of(path));
  }

  public static String ofFile(Path file) {
    try {
      if (Files.size(file) > MAX_SIZE) {
        throw new CtlException("token file " + file + " is too large for a token");
      }
      return checked("token file " + file, Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new CtlException("token file " + file + ": there is no such file", e);
    } catch (IOException e) {
      throw new CtlException("token file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** A token is one visible word; the value itself is never told. */
  static String checked(String where, String text) {
    String token = text.strip();
    if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new CtlException(where + " does not hold a token");
    }
    return token;
  }
}
