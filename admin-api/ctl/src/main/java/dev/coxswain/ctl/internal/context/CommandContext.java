// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.context;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ClientFactory;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The state of one command: its arguments, console and client, and its exit code so far. */
public final class CommandContext implements AutoCloseable {

  public static final Flag REASON =
      Flag.of(
          "--reason", "TEXT", "reason of the change, for the audit log; prompted for if missing");
  public static final Flag YES =
      Flag.alone("--yes", "do not prompt for confirmation").withLetter('y');

  /** The states of results that need no warning. */
  private static final Set<String> DONE = Set.of("done", "skipped");

  /** The state of a replica whose controller has not listed all objects yet. */
  private static final String SYNCING = "syncing";

  private final Arguments arguments;
  private final Console console;
  private final Set<String> warned = new HashSet<>();
  private @Nullable AdminClient client;
  private @Nullable String namespace;
  private int exitCode = ExitCode.OK;

  public CommandContext(Arguments arguments, Console console) {
    this.arguments = arguments;
    this.console = console;
  }

  public Arguments arguments() {
    return arguments;
  }

  public Console console() {
    return console;
  }

  /**
   * Returns the words of the call.
   *
   * @throws CommandException when there are fewer than {@code least}
   */
  public List<String> words(int least, String usage) {
    List<String> words = arguments.words();
    if (words.size() < least) {
      throw new CommandException("expected " + usage);
    }
    return words;
  }

  /**
   * Returns the names of objects in the form of {@code -o name}.
   *
   * @param skip how many words come before them
   * @param usage of the command, for the error when there are none
   */
  public List<String> names(ResourceKind kind, int skip, String usage) {
    return words(skip + 1, kind.plural() + ": " + usage).stream()
        .skip(skip)
        .map(word -> kind.singular() + "/" + kind.bareName(word))
        .toList();
  }

  /** Returns the client, which is created on first use. */
  public AdminClient client() {
    if (client == null) {
      client = ClientFactory.open(arguments, console);
    }
    return client;
  }

  /** Makes a change, with an idempotency key. */
  public Json change(String method, String path, Json order) {
    return client().change(method, path, order, once()).body();
  }

  /**
   * Returns headers with a new idempotency key, so that a proxy that repeats the request does not
   * repeat the change.
   */
  public static Map<String, String> once() {
    return Map.of("Idempotency-Key", UUID.randomUUID().toString());
  }

  public Printer printer(ResourceKind kind, boolean allNamespaces, boolean single) {
    return new Printer(kind, arguments, console, allNamespaces, single);
  }

  public void print(String text) {
    console.print(text);
  }

  public void warn(String message) {
    console.warn(message);
  }

  public Instant now() {
    return console.clock().instant();
  }

  /** Reads, and warns if the response is partial. */
  public Json get(String path) {
    Json answer = client().get(path);
    warnIfPartial(answer);
    return answer;
  }

  /** Reads what a printer prints, and warns if the response is partial. */
  public Json get(String path, Printer printer) {
    Json answer = client().get(path, printer.accept());
    warnIfPartial(answer);
    return answer;
  }

  /**
   * Reads a page of a list, and warns if it is partial. A replica that has left since the page before
   * is skipped, with a warning.
   *
   * @param query the parameters; its "continue" is replaced when a replica is skipped
   * @param accept the media type, which is one of JSON
   */
  public Json page(String path, Map<String, String> query, String accept) {
    Json page;
    try {
      page = client().get(path + AdminClient.query(query), accept);
    } catch (ProblemException problem) {
      String goOn = problem.body().text("continue");
      if (!problem.type().equals("cursor-expired") || goOn.isEmpty()) {
        throw problem;
      }
      warn(
          "replica "
              + problem.body().text("replica")
              + " has left; the rest of its items is"
              + " missing");
      addExitCode(ExitCode.PARTIAL);
      query.put("continue", goOn);
      return page(path, query, accept).with("partial", true);
    }
    warnIfPartial(page);
    if (page.flag("moved")) {
      warnOnce("slots have moved while items were read: some may be missing or shown twice");
      addExitCode(ExitCode.PARTIAL);
    }
    return page;
  }

  /** Returns the namespace of items: from the flag, or from the context. */
  public String namespace() {
    if (namespace == null) {
      String given = arguments.value(ItemSelector.NAMESPACE);
      namespace = given != null ? given : client().itemNamespace();
    }
    return namespace;
  }

  /** Warns if a response is partial. */
  public void warnIfPartial(Json answer) {
    if (!answer.flag("partial")) {
      return;
    }
    exitCode = ExitCode.worse(exitCode, ExitCode.PARTIAL);
    boolean explained = unowned(answer);
    for (Json warning : answer.list("warnings")) {
      warnOnce(warning.asText());
      explained = true;
    }
    if (answer.has("historyProblem")) {
      warnOnce(answer.text("historyProblem"));
      explained = true;
    }
    if (answer.has("unread")) { // of JSON; a table has it among its warnings
      warnOnce(
          "nothing could be read of: "
              + String.join(", ", answer.list("unread").stream().map(Json::asText).toList()));
      explained = true;
    }
    for (Json replica : answer.list("replicas")) {
      if (replica.has("state") && !replica.text("state").equals("ok")) {
        warnOnce(
            about(replica, replica.text("error"))
                + (replica.text("state").equals(SYNCING)
                    ? "; items may be missing and counts too small"
                    : "; its part is missing"));
        explained = true;
      }
    }
    for (Json result : answer.list("results")) {
      if (!DONE.contains(result.text("state"))) {
        warnOnce(about(result, result.text("error")));
        explained = true;
      }
    }
    if (!explained) {
      warnOnce("partial response: some replicas are missing");
    }
  }

  /** Warns of controllers that no replica runs, and returns whether there are any. */
  private boolean unowned(Json answer) {
    boolean some = false;
    for (Json controller : answer.has("items") ? answer.list("items") : List.of(answer)) {
      String message = ResourceKinds.unowned(controller);
      if (!message.isEmpty()) {
        warnOnce(
            "controller %s: no owner for %s: %s"
                .formatted(
                    controller.text("name"),
                    HumanDuration.since(controller.text("since"), now()),
                    message));
        some = true;
      }
    }
    return some;
  }

  private static String about(Json part, String why) {
    return "replica %s: %s%s"
        .formatted(part.text("replica"), part.text("state"), why.isEmpty() ? "" : " (" + why + ")");
  }

  private void warnOnce(String message) {
    if (warned.add(message)) {
      console.warn(message);
    }
  }

  /** Adds an exit code; the worst one counts. */
  public void addExitCode(int code) {
    exitCode = ExitCode.worse(exitCode, code);
  }

  public int exitCode() {
    return exitCode;
  }

  /** Returns the reason of a change; prompts for it on a terminal. */
  public String reason() {
    String reason = arguments.value(REASON);
    if (reason == null && console.interactive()) {
      reason = console.prompt("Reason, for the audit log: ");
    }
    if (reason == null || reason.isBlank()) {
      throw new CommandException("a change needs a reason for the audit log: add --reason \"...\"");
    }
    return reason;
  }

  /**
   * Returns if the change is confirmed, by {@code --yes} or on the terminal.
   *
   * @throws CommandException otherwise
   */
  public void confirm(String question) {
    if (arguments.on(YES)) {
      return;
    }
    if (!console.interactive()) {
      throw new CommandException(
          ExitCode.ABORTED,
          "nothing was changed: no terminal for the confirmation; add --yes to confirm");
    }
    if (!console.prompt(question + " Type yes: ").equals("yes")) {
      throw new CommandException(ExitCode.ABORTED, "nothing was changed");
    }
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
