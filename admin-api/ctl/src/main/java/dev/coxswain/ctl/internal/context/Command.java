// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.context;

import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.ConnectionFlags;
import dev.coxswain.ctl.internal.print.Colors;
import java.util.ArrayList;
import java.util.List;

/**
 * A command of the program.
 *
 * @param name its name
 * @param usage the arguments after the name
 * @param summary a description in one line
 * @param flags its flags, besides those of every command
 * @param action its implementation
 * @param words the possible first arguments, for completion
 */
public record Command(
    String name,
    String usage,
    String summary,
    List<Flag> flags,
    Action action,
    List<String> words) {

  public static final Flag HELP = Flag.alone("--help", "show this help").withLetter('h');

  /** Implementation of a command; sets the exit code of the context. */
  public @FunctionalInterface interface Action {
    void run(CommandContext context);
  }

  public Command(String name, String usage, String summary, List<Flag> flags, Action action) {
    this(name, usage, summary, flags, action, List.of());
  }

  /** Returns the flags of every command. */
  public static List<Flag> everywhere() {
    List<Flag> all = new ArrayList<>(ConnectionFlags.ALL);
    all.add(Colors.FLAG);
    all.add(HELP);
    return all;
  }

  public List<Flag> allFlags() {
    List<Flag> all = new ArrayList<>(flags);
    all.addAll(everywhere());
    return all;
  }
}
