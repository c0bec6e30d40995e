// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.version;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Colors;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import dev.coxswain.ctl.internal.print.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code version}: the versions of this program and of each replica. */
public final class VersionCommand {

  public static final Flag CLIENT = Flag.alone("--client", "only the version of this program");

  private static final int FORBIDDEN = 403;

  private VersionCommand() {}

  /** Prints the versions, and a warning for those that are not promised to work together. */
  public static void run(CommandContext context) {
    context.arguments().noWords("version --help");
    OutputFormat format = OutputFormat.of(context.arguments());
    if (format.is("name") || format.is("wide")) {
      throw new CommandException("version is printed as text, json, yaml, jsonpath or columns");
    }
    String own = Versions.own();
    String text = Table.described("Client version", own);
    if (context.arguments().on(CLIENT)) {
      context.print(format.shown(Json.object("clientVersion", own), "", text));
      return;
    }
    List<Json> replicas;
    try {
      replicas = replicas(context);
    } catch (ProblemException | CommandException e) {
      context.print(format.shown(Json.object("clientVersion", own), "", text));
      throw e;
    }
    Table table =
        new Table(
            List.of("REPLICA", "STATE", "VERSION"),
            true,
            Colors.of(context.arguments(), context.console()));
    replicas.forEach(
        each -> table.row(List.of(each.text("name"), each.text("state"), each.text("version"))));
    context.print(
        format.shown(
            Json.object(
                "clientVersion", own, "replicas", replicas.stream().map(Json::value).toList()),
            "",
            text + table.take()));
    warnings(own, replicas).forEach(context::warn);
  }

  /** Returns name, state and version of each replica, or of the one that answers without the right to the list. */
  private static List<Json> replicas(CommandContext context) {
    try {
      return context.get(AdminClient.path(ResourceKinds.REPLICA.plural())).list("items").stream()
          .map(each -> replica(each.text("replica"), each.text("state"), each.text("version")))
          .toList();
    } catch (ProblemException problem) {
      if (problem.status() != FORBIDDEN) {
        throw problem;
      }
      Json root = context.client().get("");
      context.warn("only the replica that answers is shown: " + problem.getMessage());
      return List.of(replica(root.text("replica"), "ok", root.text("version")));
    }
  }

  private static Json replica(String name, String state, String version) {
    return Json.object("name", name, "state", state, "version", version.isEmpty() ? null : version);
  }

  private static List<String> warnings(String own, List<Json> replicas) {
    Map<String, String> byVersion = new LinkedHashMap<>(); // to a replica that has it
    replicas.stream()
        .filter(each -> each.has("version"))
        .forEach(each -> byVersion.putIfAbsent(each.text("version"), each.text("name")));
    List<String> warnings = new ArrayList<>();
    List<String> versions = List.copyOf(byVersion.keySet());
    for (int i = 0; i < versions.size(); i++) {
      String version = versions.get(i);
      String replica = "replica " + byVersion.get(version) + " is " + version;
      if (!Versions.fit(own, version)) {
        warnings.add(differs("this program is " + own, replica));
      }
      for (String other : versions.subList(i + 1, versions.size())) {
        if (!Versions.fit(version, other)) {
          warnings.add(differs(replica, "replica " + byVersion.get(other) + " is " + other));
        }
      }
    }
    return warnings;
  }

  private static String differs(String one, String other) {
    return one
        + " and "
        + other
        + ": versions more than one minor release apart are not promised to work together";
  }
}
