// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.commands;

import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.client.AdminClient;
import dev.coxswain.ctl.client.EventStream;
import dev.coxswain.ctl.client.ProblemException;
import dev.coxswain.ctl.print.Json;
import dev.coxswain.ctl.print.Printer;
import dev.coxswain.ctl.print.ResourceKind;
import dev.coxswain.ctl.print.ResourceKinds;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * {@code get -w}: a line for everything, and another one whenever something changes. Replicas tell
 * what each of them knows; what has changed is asked for, so that a line is of all of them.
 */
final class Watch implements EventStream.Listener {

  /** More things than these are read as one list: a caller has only so many requests a second. */
  private static final int FEW = 5;

  private final CommandContext context;
  private final ResourceKind kind;
  private final Printer listing;
  private final String key;
  private final Set<String> changed = new LinkedHashSet<>(); // names
  private Map<String, String> members = Map.of(); // as they were shown
  private boolean membersDue;
  private boolean synced;

  private Watch(CommandContext context, ResourceKind kind) {
    this.context = context;
    this.kind = kind;
    this.key = kind.equals(ResourceKinds.OPERATION) ? "id" : "name";
    this.listing = context.printer(kind, false, true);
  }

  /** Adds a line for each change that a topic tells of. */
  static void run(CommandContext context, ResourceKind kind, String topic) {
    Map<String, String> parameters = Map.of("topics", topic);
    new EventStream(context.client(), context.console(), parameters, true, new Watch(context, kind))
        .follow();
  }

  /** Returns the topic that tells of a kind, which must be one of which changes are told. */
  static String topic(ResourceKind kind) {
    if (kind.equals(ResourceKinds.ITEM) || kind.equals(ResourceKinds.AUDIT)) {
      throw new CtlException(
          "changes of "
              + kind.plural()
              + " are not told; watch controllers, operations, limiters or members");
    }
    return kind.equals(ResourceKinds.MEMBER) ? "replicas" : kind.plural();
  }

  @Override
  public void event(String name, Json object) {
    if (name.equals(EventStream.SYNCED)) {
      synced = true;
      show();
    } else if (kind.equals(ResourceKinds.MEMBER)) {
      // Both tell that the replicas are others, neither what a line shows of them.
      membersDue |= name.equals("replicas") || name.equals(EventStream.PARTIAL);
    } else if (name.equals(kind.singular())) {
      changed.add(
          object.text(
              kind.equals(ResourceKinds.CONTROLLER)
                  ? "controller"
                  : kind.equals(ResourceKinds.LIMITER) ? "name" : "id"));
    }
  }

  @Override
  public void idle() {
    if (synced) {
      show();
    }
  }

  /** An event tells the most important fields of one replica; a line has them all, of all. */
  private void show() {
    if (membersDue) {
      membersDue = false;
      showMembers();
    }
    if (changed.size() > FEW) {
      context.get(AdminClient.path(kind.plural())).list("items").stream()
          .filter(object -> changed.contains(object.text(key)))
          .forEach(listing::object);
      changed.clear();
      return;
    }
    for (String name : changed) {
      try {
        listing.object(context.get(AdminClient.path(kind.plural(), name)));
      } catch (ProblemException problem) {
        if (problem.status() != GetCommand.NOT_FOUND) {
          throw problem; // what is gone has no line
        }
      }
    }
    changed.clear();
  }

  private void showMembers() {
    Map<String, String> now = new HashMap<>();
    // Who does not answer is told by the stream.
    for (Json member : context.client().get(AdminClient.path(kind.plural())).list("items")) {
      String name = kind.name().apply(member);
      String shown = member.toString();
      now.put(name, shown);
      if (!shown.equals(members.get(name))) {
        listing.object(member);
      }
    }
    members = now;
  }
}
