// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.client.ConnectionFlags;
import java.util.ArrayList;
import java.util.List;

/**
 * A command of the program.
 *
 * @param name the word that calls it
 * @param usage what follows the name
 * @param summary what it does, in a line
 * @param flags what it knows besides the flags of every command
 * @param action does it
 * @param words what may come first behind the name, as far as it is known beforehand
 */
public record Command(
    String name,
    String usage,
    String summary,
    List<Flag> flags,
    Action action,
    List<String> words) {

  public static final Flag HELP = Flag.alone("--help", "show this").withLetter('h');

  /** Does it; how it went is noted in the call. */
  public @FunctionalInterface interface Action {
    void run(CommandContext context);
  }

  Command(String name, String usage, String summary, List<Flag> flags, Action action) {
    this(name, usage, summary, flags, action, List.of());
  }

  /** The flags of every command. */
  static List<Flag> everywhere() {
    List<Flag> all = new ArrayList<>(ConnectionFlags.ALL);
    all.add(HELP);
    return all;
  }

  public List<Flag> allFlags() {
    List<Flag> all = new ArrayList<>(flags);
    all.addAll(everywhere());
    return all;
  }
}
