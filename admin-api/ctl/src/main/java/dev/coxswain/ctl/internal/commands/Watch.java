// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.EventStream;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * {@code get -w}: a line for each object, and one for each change. Events come from single
 * replicas; a changed object is read again, so that its line covers all replicas.
 */
final class Watch implements EventStream.Listener {

  /**
   * More objects than these are read as one list, because requests of a caller are rate-limited.
   */
  private static final int FEW = 5;

  private final CommandContext context;
  private final ResourceKind kind;
  private final Printer listing;
  private final Set<String> changed = new LinkedHashSet<>(); // names
  private Map<String, String> shownReplicas = Map.of(); // by name, as last shown
  private boolean replicasDue;
  private boolean synced;

  private Watch(CommandContext context, ResourceKind kind) {
    this.context = context;
    this.kind = kind;
    this.listing = context.printer(kind, false, true);
    if (kind.equals(ResourceKinds.REPLICA)) {
      listing.withObjects(); // ages change without a change of the object
    }
  }

  /** Prints a line for each change of a topic. */
  static void run(CommandContext context, ResourceKind kind, String topic) {
    Map<String, String> parameters = Map.of("topics", topic);
    new EventStream(context.client(), context.console(), parameters, true, new Watch(context, kind))
        .follow();
  }

  /**
   * Returns the topic of a kind.
   *
   * @throws CommandException for slots, plug-ins and audit records, which have none
   */
  static String topic(ResourceKind kind) {
    if (List.of(
            ResourceKinds.AUDIT, ResourceKinds.TIMELINE, ResourceKinds.SLOT, ResourceKinds.PLUGIN)
        .contains(kind)) {
      throw new CommandException(
          kind.plural()
              + " cannot be watched; watch controllers, items, operations, limiters or"
              + " replicas");
    }
    return kind.plural();
  }

  @Override
  public void event(String name, Json object) {
    if (name.equals(EventStream.SYNCED)) {
      synced = true;
      show();
    } else if (kind.equals(ResourceKinds.REPLICA)) {
      // Both report a change of the replicas, without the columns of a line.
      replicasDue |= name.equals("replicas") || name.equals(EventStream.PARTIAL);
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

  /** Reads and prints the changed objects: an event has only some fields of one replica. */
  private void show() {
    if (replicasDue) {
      replicasDue = false;
      showReplicas();
    }
    if (changed.size() > FEW) {
      Json list = context.get(AdminClient.path(kind.plural()), listing);
      show(list, entry -> changed.contains(listing.name(entry)));
      changed.clear();
      return;
    }
    for (String name : changed) {
      try {
        listing.page(listing.listed(context.get(AdminClient.path(kind.plural(), name), listing)));
      } catch (ProblemException problem) {
        if (problem.status() != GetCommand.NOT_FOUND) {
          throw problem; // a removed object has no line
        }
      }
    }
    changed.clear();
  }

  private void show(Json list, Predicate<Json> which) {
    listing.page(listing.with(list, listing.entries(list).stream().filter(which).toList()));
  }

  private void showReplicas() {
    Map<String, String> now = new HashMap<>();
    // No warning for a partial list: the stream reports missing replicas.
    Json list = context.client().get(AdminClient.path(kind.plural()), listing.accept());
    for (Json entry : listing.entries(list)) {
      now.put(listing.name(entry), listing.object(entry).toString());
    }
    show(
        list,
        entry -> {
          String name = listing.name(entry);
          return !Objects.equals(now.get(name), shownReplicas.get(name));
        });
    shownReplicas = now;
  }
}
