// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.condition;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Durations;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemKey;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code wait}: waits until controllers or items fulfil a condition, as kubectl does. */
public final class WaitCommand {

  public static final Flag FOR =
      Flag.of(
              "--for",
              "CONDITION",
              "controllers: ready, paused, empty; items: reconciled, failing, gone; both:"
                  + " jsonpath='{.path}'=value")
          .withChoices(
              Stream.concat(Condition.OF_CONTROLLERS.stream(), Condition.OF_ITEMS.stream())
                  .distinct()
                  .toList());
  public static final Flag TIMEOUT =
      Flag.of("--timeout", "DURATION", "longest wait, 30s unless given; 0 checks once");

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration PACE = Duration.ofSeconds(1);

  /** The time between two reads while changes are reported. */
  private static final Duration FASTEST = Duration.ofMillis(250);

  /** Not every field of a controller has an event of its own. */
  private static final Duration SLOWEST = Duration.ofSeconds(5);

  private static final String USAGE =
      "what to wait for: wait controller/NAME... --for=ready, or wait item CONTROLLER"
          + " [NAMESPACE/]NAME... --for=reconciled";

  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final CommandContext context;
  private final Condition condition;
  private final Duration timeout;
  private final Instant deadline;
  private final @Nullable ChangeStream changes;
  private boolean reached;

  private WaitCommand(
      CommandContext context,
      Condition condition,
      Duration timeout,
      @Nullable ChangeStream changes) {
    this.context = context;
    this.condition = condition;
    this.timeout = timeout;
    this.deadline = context.now().plus(timeout);
    this.changes = changes;
  }

  /** Waits for each object in turn, all of them within one time-out. */
  public static void run(CommandContext context) {
    List<String> words = context.words(1, USAGE);
    boolean ofItems = ResourceKinds.ITEM.isCalled(words.getFirst());
    String written = context.arguments().value(FOR);
    if (written == null) {
      throw new CommandException(
          "expected a condition: --for=" + (ofItems ? "reconciled" : "ready") + "; see --help");
    }
    Condition condition = Condition.of(written, ofItems);
    OutputFormat format = OutputFormat.of(context.arguments());
    Duration timeout = timeout(context);
    Map<String, String> paths =
        ofItems ? items(context, words, condition.isOfPath()) : controllers(words);
    ChangeStream changes =
        ofItems || timeout.isZero() ? null : ChangeStream.open(context.client(), topic(paths));
    WaitCommand wait = new WaitCommand(context, condition, timeout, changes);
    paths.forEach((name, path) -> {
      Json object = wait.until(name, path);
      context.print(format.shown(object, name, name + " condition met\n"));
      context.console().deliver();
    });
  }

  private static Duration timeout(CommandContext context) {
    String text = context.arguments().value(TIMEOUT);
    if (text == null) {
      return DEFAULT_TIMEOUT;
    }
    return Durations.parse(text)
        .orElseThrow(() ->
            new CommandException(
                "flag --timeout: expected a duration such as 30s or 10m, or 0 to check once, found \""
                    + text
                    + "\""));
  }

  private static Map<String, String> items(
      CommandContext context, List<String> words, boolean ofItem) {
    if (words.size() < 3) {
      throw new CommandException("expected " + USAGE);
    }
    Map<String, String> paths = new LinkedHashMap<>();
    String controller = ResourceKinds.CONTROLLER.bareName(words.get(1));
    for (String word : words.subList(2, words.size())) {
      ItemKey item = ItemKey.of(context, controller, word);
      paths.put(item.toString(), ofItem ? item.path() : item.path("explain"));
    }
    return paths;
  }

  private static Map<String, String> controllers(List<String> words) {
    boolean named = ResourceKinds.CONTROLLER.isCalled(words.getFirst());
    List<String> names = named ? words.subList(1, words.size()) : words;
    Map<String, String> paths = new LinkedHashMap<>();
    for (String word : names) {
      String name = ResourceKinds.CONTROLLER.bareName(word);
      if (!named && name.equals(word)) {
        throw new CommandException("expected " + USAGE + ", found \"" + word + "\"");
      }
      paths.put("controller/" + name, AdminClient.path("controllers", name));
    }
    if (paths.isEmpty()) {
      throw new CommandException("expected " + USAGE);
    }
    return paths;
  }

  private static Map<String, String> topic(Map<String, String> paths) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("topics", ResourceKinds.CONTROLLER.plural());
    if (paths.size() == 1) {
      parameters.put(
          "controller", ResourceKinds.CONTROLLER.bareName(paths.keySet().iterator().next()));
    }
    return parameters;
  }

  private Json until(String name, String path) {
    while (true) {
      String missing;
      try {
        Json object = context.client().get(path);
        reached = true;
        missing = condition.missing(object);
        if (missing.isEmpty()) {
          return object;
        }
      } catch (ProblemException problem) {
        if (!problem.type().equals("item-not-found")
            && problem.status() != TOO_MANY
            && problem.status() < SERVER_ERROR) {
          throw problem; // it does not go away by itself
        }
        missing = String.valueOf(problem.getMessage());
      } catch (CommandException lost) {
        if (!reached || Thread.currentThread().isInterrupted()) {
          throw lost;
        }
        missing = String.valueOf(lost.getMessage()); // a replica that restarts
      }
      Duration left = Duration.between(context.now(), deadline);
      if (!left.isPositive()) {
        throw new CommandException(
            (timeout.isZero()
                    ? "condition %s not met on %s: %s"
                    : "timed out waiting for the condition %s on %s: %s")
                .formatted(condition, name, missing));
      }
      pause(left);
    }
  }

  private void pause(Duration left) {
    if (changes == null || !changes.isOpen()) {
      context.console().waitFor(shorter(left, PACE));
      return;
    }
    context.console().waitFor(shorter(left, FASTEST));
    Duration rest = Duration.between(context.now(), deadline);
    if (rest.isPositive()) {
      changes.await(shorter(rest, SLOWEST));
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
