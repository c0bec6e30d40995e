// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A part in a process of its own: answers each line of its standard input with a line, and ends
 * with it.
 */
final class PartMain {
  private PartMain() {}

  /** Runs the named part with the arguments behind the name. */
  public static void main(String[] args) throws IOException {
    try (Part part = create(args[0], List.of(args).subList(1, args.length));
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(part.ask(line));
      }
    }
    System.exit(0); // whatever threads are left
  }

  static Part create(String name, List<String> arguments) throws IOException {
    return switch (name) {
      case "server" -> new ServerPart(arguments.getFirst());
      case "load" ->
          new LoadPart(
              arguments.getFirst(),
              Integer.parseInt(arguments.get(1)),
              Integer.parseInt(arguments.get(2)));
      case "starts" -> new StartsPart();
      default -> throw new IllegalArgumentException("no such part: " + name);
    };
  }
}
