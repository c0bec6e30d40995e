// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.print.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code scale}: how many attempts of a controller may run at once on each replica. */
final class ScaleCommand {

  static final Flag MAX_CONCURRENT =
      Flag.of("--max-concurrent", "N", "how many attempts may run at once on each replica");
  static final Flag CURRENT =
      Flag.of("--current-max-concurrent", "N", "change nothing unless it is this now");

  private static final long MOST = Integer.MAX_VALUE; // the host knows its own limit

  private ScaleCommand() {}

  static void run(Call call) {
    List<String> names =
        call.words(1, "controllers: scale CONTROLLER... --max-concurrent N").stream()
            .map(word -> "controller/" + GetCommand.controller(word))
            .toList();
    Arguments arguments = call.arguments();
    if (!arguments.has(MAX_CONCURRENT)) {
      throw new CtlException("scale needs --max-concurrent: how many attempts may run at once");
    }
    long most = arguments.number(MAX_CONCURRENT, 1, 1, MOST);
    arguments.number(CURRENT, 1, 1, MOST); // refuses what is no number before anything is asked
    Json order = Json.object("maxConcurrent", most, "reason", call.reason());
    Map<String, String> before = new LinkedHashMap<>();
    Changes.each(
        call,
        names,
        name -> scale(call, name, order, before),
        (name, _) -> "scaled from " + before.get(name) + " to " + most);
  }

  private static Json scale(Call call, String name, Json order, Map<String, String> before) {
    String path = AdminClient.path("controllers", GetCommand.controller(name));
    AdminClient.Answer seen = call.client().look(path);
    String now = seen.body().text("maxConcurrent");
    if (call.arguments().has(CURRENT)
        && Long.parseLong(call.arguments().value(CURRENT, ""))
            != seen.body().number("maxConcurrent")) {
      throw new CtlException(
          "%s: expected max-concurrent to be %s, it is %s; nothing was changed"
              .formatted(name, call.arguments().value(CURRENT), now));
    }
    before.put(name, now);
    Map<String, String> headers = new LinkedHashMap<>(Changes.once());
    // Several replicas that run it have revisions of their own, and the host takes none for all.
    if (seen.body().list("parts").size() < 2 && !seen.etag().isEmpty()) {
      headers.put("If-Match", seen.etag());
    }
    return call.client().change("PATCH", path, order, headers).body();
  }
}
