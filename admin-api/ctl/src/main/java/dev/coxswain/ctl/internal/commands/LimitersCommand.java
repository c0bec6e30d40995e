// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code limiters}: shows limiters; {@code set} overrides them for a time, {@code reset} ends that.
 */
final class LimitersCommand {

  static final Flag RATE = Flag.of("--rate", "N", "set: retries per second, such as 2 or 0.5");
  static final Flag BURST = Flag.of("--burst", "N", "set: retries that may start at once");
  static final Flag TTL = Flag.of("--ttl", "DURATION", "set: duration, such as 15m; at most a day");

  private static final long MOST = Integer.MAX_VALUE; // the host has a stricter limit

  private LimitersCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.arguments().words();
    switch (words.isEmpty() ? "" : words.getFirst()) {
      case "set" -> set(context);
      case "reset" -> reset(context);
      case "get" -> show(context, words.subList(1, words.size()));
      default -> show(context, words);
    }
  }

  private static void show(CommandContext context, List<String> names) {
    refuse(context.arguments(), List.of(RATE, BURST, TTL, CommandContext.REASON), "limiters set");
    GetCommand.of(context, ResourceKinds.LIMITER, names);
  }

  private static void set(CommandContext context) {
    List<String> names =
        context.names(
            ResourceKinds.LIMITER, 1, "limiters set NAME... --rate N --burst N --ttl DURATION");
    Arguments arguments = context.arguments();
    if (!arguments.has(RATE) && !arguments.has(BURST)) {
      throw new CommandException("limiters set needs --rate, --burst or both");
    }
    if (!arguments.has(TTL)) {
      throw new CommandException(
          "limiters set needs --ttl: an override ends by itself, such as after 15m");
    }
    arguments.duration(TTL, Duration.ZERO); // validates
    Json order =
        Json.object(
            "rate",
            rate(arguments),
            "burst",
            arguments.has(BURST) ? arguments.number(BURST, 1, 1, MOST) : null,
            "ttl",
            arguments.value(TTL),
            "reason",
            context.reason());
    Changes.each(
        context,
        names,
        name -> context.change("PUT", path(name) + "/override", order),
        (_, limiter) -> Changes.outcome(limiter, "set to " + shown(limiter, context.now())));
  }

  private static void reset(CommandContext context) {
    List<String> names = context.names(ResourceKinds.LIMITER, 1, "limiters reset NAME...");
    refuse(context.arguments(), List.of(RATE, BURST, TTL), "limiters set");
    Json order = Json.object("reason", context.reason());
    Changes.each(
        context,
        names,
        name -> context.change("DELETE", path(name) + "/override", order),
        (_, limiter) -> Changes.outcome(limiter, "reset to " + shown(limiter, context.now())));
  }

  private static String path(String name) {
    return AdminClient.path("limiters", ResourceKinds.LIMITER.bareName(name));
  }

  private static @Nullable BigDecimal rate(Arguments arguments) {
    String text = arguments.value(RATE);
    if (text == null) {
      return null;
    }
    try {
      BigDecimal rate = new BigDecimal(text);
      if (rate.signum() > 0) {
        return rate;
      }
    } catch (NumberFormatException e) {
      // reported below, together with rates that are not positive
    }
    throw new CommandException(
        "flag --rate: expected retries per second such as 2 or 0.5, found \"" + text + "\"");
  }

  private static void refuse(Arguments arguments, List<Flag> flags, String command) {
    for (Flag flag : flags) {
      if (arguments.has(flag)) {
        throw new CommandException(flag.name() + " is for " + command);
      }
    }
  }

  private static String shown(Json limiter, Instant now) {
    String until =
        limiter.has("expiresAt")
            ? ", until %s (%s)"
                .formatted(
                    Console.clean(HumanDuration.time(limiter.text("expiresAt"))),
                    HumanDuration.relative(limiter.text("expiresAt"), now))
            : "";
    return "%s retries per second, burst %s%s"
        .formatted(limiter.text("refillPerSecond"), limiter.text("capacity"), until);
  }
}
