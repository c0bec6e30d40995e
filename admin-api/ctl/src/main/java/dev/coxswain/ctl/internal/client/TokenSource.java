// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of the token: a file or a variable, never an argument, which other users of the
 * machine can read.
 */
public final class TokenSource {

  static final String VARIABLE = "COXSWAIN_TOKEN";
  static final String FILE_VARIABLE = "COXSWAIN_TOKEN_FILE";
  private static final long MAX_SIZE = 64 * 1024;

  private TokenSource() {}

  /** Returns the token from the flag or else the variables, or null. */
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
        throw new CommandException("token file " + file + " is too large for a token");
      }
      return checked("token file " + file, Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new CommandException("token file " + file + ": no such file", e);
    } catch (IOException e) {
      throw new CommandException("token file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns the token of a text, which must be one printable word; messages never contain it. */
  static String checked(String where, String text) {
    String token = text.strip();
    if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new CommandException(where + " does not contain a token");
    }
    return token;
  }
}
