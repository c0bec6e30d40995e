// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** {@code pause} and {@code resume}: whether controllers start attempts. */
final class PauseCommand {

  static final Flag FOR = Flag.of("--for", "DURATION", "resume by itself after, such as 30m");
  static final Flag UNTIL =
      Flag.of("--until", "TIME", "resume by itself at, such as 2026-11-20T10:00:00Z");

  private static final int IF_MATCH_REQUIRED = 428;

  private PauseCommand() {}

  static void pause(Call call) {
    Arguments arguments = call.arguments();
    Connections.duration(arguments, FOR, Duration.ZERO); // refuses what is no duration
    if (arguments.has(FOR) && arguments.has(UNTIL)) {
      throw new CtlException("give either --for or --until");
    }
    each(
        call,
        "pause",
        "paused",
        Json.object("duration", arguments.value(FOR), "until", arguments.value(UNTIL)));
  }

  static void resume(Call call) {
    each(call, "resume", "resumed", Json.object());
  }

  private static void each(Call call, String verb, String done, Json order) {
    List<String> names = call.words(1, "controllers: " + verb + " CONTROLLER...");
    String format = Listing.format(call.arguments());
    Json body = order.with("reason", call.reason());
    int changed = 0;
    int refused = 0;
    for (String word : names) {
      String name = GetCommand.controller(word);
      try {
        Json controller = change(call, name, verb, body);
        call.note(controller);
        changed++;
        call.around()
            .print(
                switch (format) {
                  case "json" -> controller.pretty() + "\n";
                  case "yaml" -> Yaml.document(controller);
                  case "name" -> "controller/" + name + "\n";
                  default -> "controller/" + name + " " + done + until(controller) + "\n";
                });
      } catch (Problem problem) {
        if (names.size() == 1) {
          throw problem;
        }
        refused++;
        call.around().complain("controller/" + name + ": " + problem.getMessage());
      }
    }
    if (refused > 0) {
      call.went(changed > 0 ? ExitCode.PARTIAL : ExitCode.ERROR);
    }
  }

  private static Json change(Call call, String name, String verb, Json body) {
    String path = AdminClient.path("controllers", name);
    AdminClient client = call.client();
    try {
      return client.change("POST", path + "/" + verb, body, ItemActions.once()).body();
    } catch (Problem problem) {
      if (problem.status() != IF_MATCH_REQUIRED) {
        throw problem;
      }
      return client
          .change("POST", path + "/" + verb, body, Map.of("If-Match", client.look(path).etag()))
          .body();
    }
  }

  private static String until(Json controller) {
    String until = controller.get("pause").text("until");
    return until.isEmpty() ? "" : " until " + until;
  }
}
