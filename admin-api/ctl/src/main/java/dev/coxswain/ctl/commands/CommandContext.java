// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.Console;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.ExitCode;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.HumanDuration;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.client.ClientFactory;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Printer;
import dev.coxswain.ctl.print.ResourceKind;
import dev.coxswain.ctl.print.ResourceKinds;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The state of one command: its arguments, console and client, and its exit code so far. */
public final class CommandContext implements AutoCloseable {

  static final Flag REASON =
      Flag.of(
          "--reason", "TEXT", "why the change is made, for the audit log; asked for when missing");
  static final Flag YES = Flag.alone("--yes", "do not ask").withLetter('y');

  /** The states of the part of a change that needs no warning. */
  private static final Set<String> DONE = Set.of("done", "skipped");

  /** The state of a replica that has answered and whose controller has not all objects yet. */
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

  Arguments arguments() {
    return arguments;
  }

  public Console console() {
    return console;
  }

  /** Returns the words of the call, of which there must be some. */
  List<String> words(int least, String usage) {
    List<String> words = arguments.words();
    if (words.size() < least) {
      throw new CtlException("expected " + usage);
    }
    return words;
  }

  /** Returns the client; it connects when it is first needed. */
  public AdminClient client() {
    if (client == null) {
      client = ClientFactory.open(arguments, console);
    }
    return client;
  }

  /** Makes a change once, whatever is sent twice between here and the server. */
  Json change(String method, String path, Json order) {
    return client().change(method, path, order, Changes.once()).body();
  }

  Printer printer(ResourceKind kind, boolean allNamespaces, boolean single) {
    return new Printer(kind, arguments, console, allNamespaces, single);
  }

  void print(String text) {
    console.print(text);
  }

  void warn(String message) {
    console.warn(message);
  }

  Instant now() {
    return console.clock().instant();
  }

  /** Reads, and warns when the answer lacks a part. */
  Json get(String path) {
    Json answer = client().get(path);
    warnIfPartial(answer);
    return answer;
  }

  /** Returns the namespace of items: the one that is given, or the one of the context. */
  String namespace() {
    if (namespace == null) {
      String given = arguments.value(ItemSelector.NAMESPACE);
      namespace = given != null ? given : client().itemNamespace();
    }
    return namespace;
  }

  /** Warns of an answer for which not every replica could be asked. */
  void warnIfPartial(Json answer) {
    if (!answer.flag("partial")) {
      return;
    }
    exitCode = ExitCode.worse(exitCode, ExitCode.PARTIAL);
    boolean explained = unowned(answer);
    for (Json replica : answer.list("replicas")) {
      if (replica.has("state") && !replica.text("state").equals("ok")) {
        warnOnce(
            about(replica, replica.text("error"))
                + (replica.text("state").equals(SYNCING)
                    ? "; items may be missing and counts too small"
                    : "; what only it knows is missing"));
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
      warnOnce("the answer is partial: not every replica could be asked");
    }
  }

  /** Warns of controllers that no replica runs; returns whether there are any. */
  private boolean unowned(Json answer) {
    boolean some = false;
    for (Json controller : answer.has("items") ? answer.list("items") : List.of(answer)) {
      String message = ResourceKinds.unowned(controller);
      if (!message.isEmpty()) {
        warnOnce(
            "controller "
                + controller.text("name")
                + ": no owner for "
                + HumanDuration.since(controller.text("since"), now())
                + ": "
                + message);
        some = true;
      }
    }
    return some;
  }

  private static String about(Json part, String why) {
    return "replica "
        + part.text("replica")
        + ": "
        + part.text("state")
        + (why.isEmpty() ? "" : " (" + why + ")");
  }

  private void warnOnce(String message) {
    if (warned.add(message)) {
      console.warn(message);
    }
  }

  /** Adds the outcome of a part; the exit code is the worst of them. */
  public void addExitCode(int code) {
    exitCode = ExitCode.worse(exitCode, code);
  }

  public int exitCode() {
    return exitCode;
  }

  /** Returns the reason of a change; prompts for it on a terminal. */
  String reason() {
    String given = arguments.value(REASON);
    String reason = given;
    if (reason == null && console.interactive()) {
      reason = console.prompt("Reason, for the audit log: ");
    }
    if (reason == null || reason.isBlank()) {
      throw new CtlException(
          "every change needs a reason, which goes to the audit log: add --reason \"...\"");
    }
    return reason;
  }

  /** Returns when the change is confirmed, on the terminal or by {@code --yes}. */
  void confirm(String question) {
    if (arguments.on(YES)) {
      return;
    }
    if (!console.interactive()) {
      throw new CtlException(
          ExitCode.ABORTED,
          "nothing was changed: nobody can be asked here; add --yes to do it without asking");
    }
    if (!console.prompt(question + " Type yes: ").equals("yes")) {
      throw new CtlException(ExitCode.ABORTED, "nothing was changed");
    }
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
