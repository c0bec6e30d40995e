// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.client.AdminClient;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemKey;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Json;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.Printer;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import dev.coxswain.ctl.internal.print.SortBy;
import dev.coxswain.ctl.internal.watch.ItemReader;
import dev.coxswain.ctl.internal.watch.ItemWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** {@code get}: lists resources, or shows them by name. */
final class GetCommand {

  static final Flag WATCH =
      Flag.alone(
              "--watch",
              "continue with every change of controllers, items, operations, limiters or replicas")
          .withLetter('w');
  static final Flag LIMIT = Flag.of("--limit", "N", "at most N (default: all)");
  static final Flag SINCE =
      Flag.of("--since", "DURATION", "audit, changes and timeline: nothing older, such as 10m");
  static final Flag ACTOR = Flag.of("--actor", "NAME", "audit and changes: of this caller");
  static final Flag ACTION = Flag.of("--action", "NAME", "audit and changes: of this kind");
  static final Flag CONTROLLER =
      Flag.of("--controller", "NAME", "audit, changes, timeline and operations: of this controller")
          .withLetter('c');
  static final Flag STATE =
      Flag.of("--state", "STATES", "operations, slots: in one of these states, comma-separated")
          .withChoices(
              List.of(
                  "Running",
                  "Succeeded",
                  "PartiallySucceeded",
                  "Failed",
                  "Cancelled",
                  "free",
                  "owned",
                  "draining",
                  "orphaned"));
  static final Flag OWNER = Flag.of("--owner", "REPLICA", "slots: owned by this replica");

  /** The kinds of which the API has only the list. */
  private static final Set<ResourceKind> LISTED =
      Set.of(ResourceKinds.REPLICA, ResourceKinds.SLOT, ResourceKinds.CONFIGURATION);

  static final int NOT_FOUND = 404;

  private GetCommand() {}

  static void run(CommandContext context) {
    List<String> words =
        context.words(
            1,
            "a resource: controllers, items CONTROLLER, causes [CONTROLLER], replicas, slots, limiters, plugins,"
                + " config, operations, audit, changes or timeline");
    ResourceKind kind = kind(words.getFirst());
    List<String> rest = words.subList(1, words.size());
    OutputFormat.of(context.arguments()); // before any request
    SortBy.of(context.arguments());
    if (context.arguments().on(WATCH) && !kind.equals(ResourceKinds.ITEM)) {
      String topic = Watch.topic(kind);
      if (!rest.isEmpty()) {
        throw new CommandException("--watch takes no names");
      }
      warnOfOrder(context);
      Watch.run(context, kind, topic);
    } else if (kind.equals(ResourceKinds.ITEM)) {
      items(context, rest);
    } else if (kind.equals(ResourceKinds.CAUSE)) {
      causes(context, rest);
    } else {
      of(context, kind, rest);
    }
  }

  private static ResourceKind kind(String word) {
    for (ResourceKind kind : ResourceKinds.ALL) {
      if (kind.isCalled(word)) {
        return kind;
      }
    }
    throw new CommandException(
        "unknown resource \"%s\", %s"
            .formatted(
                word,
                Suggestions.of(
                    word, ResourceKinds.ALL.stream().map(ResourceKind::plural).toList())));
  }

  /** Lists the objects of a kind, or those with the given names. */
  static void of(CommandContext context, ResourceKind kind, List<String> names) {
    if (names.isEmpty()) {
      all(context, kind);
    } else if (isRecord(kind)) {
      throw new CommandException(
          recordsOf(kind) + " have no names; see get --help for how to choose some");
    } else if (LISTED.contains(kind)) {
      listed(context, kind, names);
    } else {
      Map<String, String> paths = new LinkedHashMap<>();
      for (String name : names) {
        String bare = kind.bareName(name);
        paths.put(kind.singular() + "/" + bare, AdminClient.path(kind.plural(), bare));
      }
      named(context, kind, paths, false);
    }
  }

  /** Shows objects by name of which the API has only the list. */
  private static void listed(CommandContext context, ResourceKind kind, List<String> names) {
    Printer listing =
        context
            .printer(kind, false, names.size() == 1)
            .sortedBy(SortBy.of(context.arguments()), names.size());
    Json list = context.get(AdminClient.path(kind.plural()), listing);
    List<Json> found = new ArrayList<>();
    for (String name : names) {
      String bare = kind.bareName(name);
      listing.entries(list).stream()
          .filter(entry -> listing.name(entry).equals(bare))
          .findFirst()
          .ifPresentOrElse(
              found::add,
              () -> {
                context
                    .console()
                    .printError(kind.singular() + "/" + bare + ": no such " + kind.singular());
                context.addExitCode(ExitCode.ERROR);
              });
    }
    listing.page(listing.with(list, found));
    listing.end("");
  }

  private static void all(CommandContext context, ResourceKind kind) {
    Map<String, String> parameters = new LinkedHashMap<>();
    Arguments arguments = context.arguments();
    if (isRecord(kind) && arguments.has(SINCE)) {
      Duration ago = arguments.duration(SINCE, Duration.ZERO);
      parameters.put("since", context.now().minus(ago).toString());
    }
    if (kind.equals(ResourceKinds.AUDIT) || kind.equals(ResourceKinds.CHANGE)) {
      arguments.put(parameters, "actor", ACTOR);
      arguments.put(parameters, "action", ACTION);
    }
    if (kind.equals(ResourceKinds.SLOT)) {
      String owner = arguments.value(OWNER);
      if (owner != null) {
        parameters.put("owner", ResourceKinds.REPLICA.bareName(owner));
      }
      arguments.put(parameters, "state", STATE);
    }
    if (isRecord(kind) || kind.equals(ResourceKinds.OPERATION)) {
      arguments.put(parameters, "controller", CONTROLLER);
    }
    if (kind.equals(ResourceKinds.AUDIT) || kind.equals(ResourceKinds.OPERATION)) {
      arguments.put(parameters, "state", STATE);
    }
    pages(
        context,
        context.printer(kind, false, false),
        AdminClient.path(kind.plural()),
        parameters,
        isRecord(kind),
        () -> {
          checkController(context, parameters.getOrDefault("controller", ""));
          return "No " + (isRecord(kind) ? recordsOf(kind) : kind.plural()) + " found.";
        });
  }

  /** Returns whether it is a kind of what has happened, which has no names. */
  private static boolean isRecord(ResourceKind kind) {
    return Set.of(ResourceKinds.AUDIT, ResourceKinds.CHANGE, ResourceKinds.TIMELINE).contains(kind);
  }

  private static String recordsOf(ResourceKind kind) {
    return kind.equals(ResourceKinds.AUDIT)
        ? "audit records"
        : kind.equals(ResourceKinds.CHANGE) ? "changes" : "events of the timeline";
  }

  /**
   * Checks the name of a controller if the list is empty; lists of former controllers need no
   * check.
   */
  private static void checkController(CommandContext context, String name) {
    if (name.isEmpty()) {
      return;
    }
    List<String> present;
    try {
      present =
          context.get(AdminClient.path("controllers")).list("items").stream()
              .map(controller -> controller.text("name"))
              .toList();
    } catch (ProblemException problem) {
      return; // listing controllers needs a right of its own
    }
    if (!present.contains(name)) {
      throw new CommandException(
          "flag --controller: no controller \"" + name + "\", " + Suggestions.of(name, present));
    }
  }

  private static void items(CommandContext context, List<String> words) {
    if (words.isEmpty()) {
      throw new CommandException("expected a controller: get items CONTROLLER [NAME...]");
    }
    String controller = controller(words.getFirst());
    List<String> names = words.subList(1, words.size());
    boolean watched = context.arguments().on(WATCH);
    if (watched) {
      if (context.arguments().has(LIMIT)) {
        throw new CommandException("give either --limit or --watch");
      }
      warnOfOrder(context);
    }
    if (!names.isEmpty()) {
      Map<String, String> paths = new LinkedHashMap<>();
      for (String name : names) {
        ItemKey item = ItemKey.of(context, controller, name);
        paths.put(item.toString(), item.path());
      }
      boolean namespaces = names.stream().anyMatch(name -> name.contains("/"));
      if (watched) {
        Printer listing = context.printer(ResourceKinds.ITEM, namespaces, true);
        ItemWatch.run(
            context,
            listing,
            ItemReader.ofNamed(context, paths.values(), listing),
            "None of these items is in the queue.");
        return;
      }
      named(context, ResourceKinds.ITEM, paths, namespaces);
      return;
    }
    ItemSelector selection = new ItemSelector(context);
    if (watched) {
      Printer listing = context.printer(ResourceKinds.ITEM, selection.allNamespaces(), true);
      String path = AdminClient.path("controllers", controller, "items");
      ItemReader reader = ItemReader.ofList(context, path, selection.parameters(), listing::accept);
      ItemWatch.run(context, listing, reader, selection.nothing(controller));
      return;
    }
    pages(
        context,
        context.printer(ResourceKinds.ITEM, selection.allNamespaces(), false),
        AdminClient.path("controllers", controller, "items"),
        selection.parameters(),
        true,
        () -> selection.nothing(controller));
  }

  private static void warnOfOrder(CommandContext context) {
    if (context.arguments().has(SortBy.FLAG)) {
      context.warn("--sort-by is ignored with --watch: objects are printed as they change");
    }
  }

  /** Lists the causes of failures of all controllers or of one, or shows those with the given ids. */
  private static void causes(CommandContext context, List<String> words) {
    String controller = words.isEmpty() ? "" : controller(words.getFirst());
    if (words.size() > 1) {
      Map<String, String> paths = new LinkedHashMap<>();
      for (String word : words.subList(1, words.size())) {
        String id = ResourceKinds.CAUSE.bareName(word);
        paths.put("cause/" + id, AdminClient.path("controllers", controller, "causes", id));
      }
      named(context, ResourceKinds.CAUSE, paths, false);
      return;
    }
    long limit = context.arguments().number(LIMIT, ItemReader.PAGE, 1, ItemReader.PAGE);
    Printer listing =
        context
            .printer(ResourceKinds.CAUSE, false, false)
            .sortedBy(SortBy.of(context.arguments()), limit);
    String path =
        controller.isEmpty()
            ? AdminClient.path("causes")
            : AdminClient.path("controllers", controller, "causes");
    Json list =
        context.get(path + AdminClient.query(Map.of("limit", Long.toString(limit))), listing);
    listing.page(list);
    listing.end(listing.isEmpty() ? "Nothing fails, nor has failed in the last day." : "");
  }

  /** Returns the name of a controller, with or without the prefix of {@code -o name}. */
  static String controller(String word) {
    return ResourceKinds.CONTROLLER.bareName(word);
  }

  private static void pages(
      CommandContext context,
      Printer listing,
      String path,
      Map<String, String> parameters,
      boolean paged,
      Supplier<String> nothing) {
    long limit = context.arguments().number(LIMIT, Long.MAX_VALUE, 1, Long.MAX_VALUE);
    if (!paged && limit != Long.MAX_VALUE) {
      throw new CommandException(
          "--limit is for items, causes, audit records, changes and the timeline");
    }
    SortBy order = SortBy.of(context.arguments());
    listing.sortedBy(order, limit);
    Map<String, String> query = new LinkedHashMap<>(parameters);
    while (true) {
      if (paged) {
        // Sorting needs all objects.
        long wanted = order == null ? limit - listing.shown() : ItemReader.PAGE;
        query.put("limit", Long.toString(Math.min(ItemReader.PAGE, wanted)));
      }
      Json page = context.page(path, query, listing.accept());
      listing.page(page);
      String next = page.text("continue");
      if (next.isEmpty()) {
        break;
      }
      if (listing.shown() >= limit) {
        listing.more();
        break;
      }
      query.put("continue", next);
    }
    listing.end(listing.isEmpty() ? nothing.get() : "");
  }

  /** Shows objects by name; missing ones are reported, and do not stop the rest. */
  private static void named(
      CommandContext context, ResourceKind kind, Map<String, String> paths, boolean allNamespaces) {
    boolean single = paths.size() == 1;
    Printer listing =
        context
            .printer(kind, allNamespaces, single)
            .sortedBy(SortBy.of(context.arguments()), paths.size());
    List<Json> lists = new ArrayList<>();
    paths.forEach((name, path) -> {
      try {
        lists.add(listing.listed(context.get(path, listing)));
      } catch (ProblemException problem) {
        if (single || problem.status() != NOT_FOUND) {
          throw problem;
        }
        context.console().printError(name + ": " + problem.getMessage());
        context.addExitCode(ExitCode.ERROR);
      }
    });
    if (!lists.isEmpty()) {
      listing.page(
          listing.with(
              lists.getFirst(),
              lists.stream().flatMap(list -> listing.entries(list).stream()).toList()));
    }
    listing.end("");
  }
}
