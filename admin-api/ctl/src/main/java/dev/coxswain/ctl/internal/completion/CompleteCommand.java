// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.completion;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.Command;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code __complete}, the hidden command that completion scripts call: the names that may come next,
 * one a line. It prints nothing when there are none, or when they cannot be read in time.
 */
public final class CompleteCommand {

  public static final String NAME = "__complete";

  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final int MOST = 100;

  /** Other names could be commands in the hands of a shell. */
  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9._/:-]{1,600}");

  private CompleteCommand() {}

  /**
   * Completes the last word.
   *
   * @param words of the line after the name of the program
   */
  public static void run(List<String> words, List<Command> commands, Console console) {
    if (words.isEmpty()) {
      return;
    }
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    // A virtual thread, which does not keep the process from ending after the limit.
    Thread.ofVirtual()
        .name("names")
        .start(() -> {
          try {
            names.complete(names(words, commands, console));
          } catch (RuntimeException e) { // whatever it is: a key that is hit prints no error
            names.complete(List.of());
          }
        });
    try {
      names
          .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .forEach(name -> console.print(name + "\n"));
    } catch (TimeoutException | ExecutionException e) {
      // Nothing is completed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> names(List<String> words, List<Command> commands, Console console) {
    List<String> before = new ArrayList<>(words.subList(0, words.size() - 1));
    String current = words.getLast();
    String flag = "";
    if (current.startsWith("-")) {
      int equals = current.indexOf('=');
      if (equals < 0) {
        return List.of();
      }
      flag = current.substring(0, equals);
      current = current.substring(equals + 1);
    } else if (!before.isEmpty() && takesValue(before.getLast(), commands)) {
      flag = before.removeLast();
    }
    int at = verbAt(before, commands);
    if (at == before.size()) {
      return List.of();
    }
    String verb = before.remove(at);
    @Nullable Command command =
        commands.stream().filter(each -> each.name().equals(verb)).findFirst().orElse(null);
    if (command == null) {
      return List.of();
    }
    if (before.stream().noneMatch(word -> word.startsWith("--request-timeout"))) {
      before.addFirst("--request-timeout=" + LIMIT.toSeconds() + "s");
    }
    Arguments arguments = Arguments.parse(before, command.allFlags());
    @Nullable CompletedNames wanted =
        flag.isEmpty()
            ? CompletedNames.after(verb, arguments.words(), current)
            : CompletedNames.ofFlag(flag, verb, arguments.words());
    if (wanted == null) {
      return List.of();
    }
    try (CommandContext context = new CommandContext(arguments, silent(console))) {
      return matching(context, wanted, current);
    }
  }

  private static List<String> matching(
      CommandContext context, CompletedNames wanted, String current) {
    String prefix = wanted.kind().singular() + "/"; // of -o name
    boolean prefixed = current.startsWith(prefix);
    String start = prefixed ? current.substring(prefix.length()) : current;
    Stream<String> names =
        switch (wanted.kind().singular()) {
          case "item" -> items(context, wanted.controller(), start);
          case "cause" ->
              names(
                  context,
                  AdminClient.path("controllers", wanted.controller(), "causes"),
                  wanted.kind().key());
          case "change" ->
              names(
                  context,
                  AdminClient.path("changes") + AdminClient.query(Map.of("undoable", "true")),
                  wanted.kind().key());
          default -> names(context, AdminClient.path(wanted.kind().plural()), wanted.kind().key());
        };
    List<String> present = context.arguments().words();
    return names
        .filter(name -> name.startsWith(start) && SAFE.matcher(name).matches())
        .filter(name -> !present.contains(name) && !present.contains(prefix + name))
        .map(name -> prefixed ? prefix + name : name)
        .distinct()
        .limit(MOST)
        .toList();
  }

  private static Stream<String> names(CommandContext context, String path, String key) {
    return context.client().get(path).list("items").stream().map(each -> each.text(key));
  }

  /** Returns the items of a namespace, or with {@code NAMESPACE/} or of all with that of each. */
  private static Stream<String> items(CommandContext context, String controller, String start) {
    Map<String, String> parameters = new LinkedHashMap<>();
    int slash = start.indexOf('/');
    boolean all = slash < 0 && context.arguments().on(ItemSelector.ALL_NAMESPACES);
    String name = start.substring(slash + 1);
    if (!all) {
      parameters.put("namespace", slash < 0 ? context.namespace() : start.substring(0, slash));
      if (!name.isEmpty() && SAFE.matcher(name).matches()) {
        parameters.put("name", name + "*");
      }
    }
    parameters.put("limit", Integer.toString(MOST));
    Json list =
        context
            .client()
            .get(
                AdminClient.path("controllers", controller, "items")
                    + AdminClient.query(parameters));
    return list.list("items").stream()
        .map(item -> item.get("key"))
        .map(key -> slash >= 0 || all ? ResourceKinds.key(key) : key.text("name"));
  }

  /** Returns a console that prints nothing and waits for nothing: a key that is hit never blocks a shell. */
  private static Console silent(Console console) {
    return new Console(
        console.in(),
        console.out(),
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
        false,
        console.environment(),
        console.clock(),
        _ -> {
          throw new CommandException("no time to wait");
        });
  }

  private static int verbAt(List<String> words, List<Command> commands) {
    int at = 0;
    while (at < words.size() && words.get(at).startsWith("-")) {
      at += takesValue(words.get(at), commands) ? 2 : 1;
    }
    return Math.min(at, words.size());
  }

  private static boolean takesValue(String word, List<Command> commands) {
    return commands.stream()
        .flatMap(command -> command.allFlags().stream())
        .anyMatch(flag -> !flag.standsAlone() && is(flag, word));
  }

  private static boolean is(Flag flag, String word) {
    return word.equals(flag.name()) || (flag.letter() != 0 && word.equals("-" + flag.letter()));
  }
}
