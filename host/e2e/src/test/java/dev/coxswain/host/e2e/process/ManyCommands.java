// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.coxswain.host.internal.cli.CommandLine;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * The process of a {@link CommandProcess}: runs each line of its standard input as a command, and ends both
 * outputs of it with a line that has the exit code.
 */
public final class ManyCommands {

  /** Begins the line after the output of a command; no command prints it. */
  static final String END = "\u0001end ";

  private ManyCommands() {}

  /** Runs the commands. */
  public static void main(String[] none) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (OutputStream out = new FileOutputStream(FileDescriptor.out);
        OutputStream err = new FileOutputStream(FileDescriptor.err)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        byte[] end = (END + CommandLine.run(decoded(line)) + "\n").getBytes(UTF_8);
        System.err.flush();
        out.write(end);
        err.write(end);
      }
    }
    System.exit(0);
  }

  static String encoded(List<String> arguments) {
    StringBuilder line = new StringBuilder();
    for (String argument : arguments) {
      line.append('.').append(Base64.getEncoder().encodeToString(argument.getBytes(UTF_8)));
    }
    return line.append('\n').toString();
  }

  private static List<String> decoded(String line) {
    return Arrays.stream(line.substring(1).split("\\.", -1))
        .map(word -> new String(Base64.getDecoder().decode(word), UTF_8))
        .toList();
  }
}
