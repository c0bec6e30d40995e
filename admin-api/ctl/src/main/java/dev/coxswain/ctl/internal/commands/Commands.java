// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.client.ScopeFlags;
import dev.coxswain.ctl.internal.condition.WaitCommand;
import dev.coxswain.ctl.internal.context.Command;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.describe.DescribeCommand;
import dev.coxswain.ctl.internal.print.OutputFormat;
import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import dev.coxswain.ctl.internal.print.SortBy;
import dev.coxswain.ctl.internal.undo.UndoCommand;
import dev.coxswain.ctl.internal.version.VersionCommand;
import java.util.ArrayList;
import java.util.List;

/** All commands, in the order of the help. */
public final class Commands {

  private static final List<Flag> SHOWN = List.of(OutputFormat.FLAG, OutputFormat.NO_HEADERS);
  private static final List<Flag> CHANGE = List.of(CommandContext.REASON, OutputFormat.FLAG);
  private static final List<Flag> OF_ITEMS =
      with(with(CHANGE, ItemSelector.NAMESPACE, ItemActions.DRY_RUN), ScopeFlags.FLAGS);
  private static final List<Flag> OF_MANY =
      with(with(with(CHANGE, ItemSelector.FLAGS), BulkActions.FLAGS), ScopeFlags.FLAGS);

  public static final List<Command> ALL =
      List.of(
          new Command(
              "get",
              "controllers|items CONTROLLER|replicas|slots|limiters|plugins|config|operations|audit|changes|timeline [NAME...]",
              "Show controllers, items, replicas, slots, limiters, plug-ins, configuration, operations, audit records, changes, the timeline",
              with(
                  with(
                      with(ItemSelector.FLAGS, ScopeFlags.FLAGS),
                      GetCommand.LIMIT,
                      GetCommand.SINCE,
                      GetCommand.ACTOR),
                  GetCommand.ACTION,
                  GetCommand.CONTROLLER,
                  GetCommand.STATE,
                  GetCommand.OWNER,
                  GetCommand.WATCH,
                  SortBy.FLAG,
                  OutputFormat.FLAG,
                  OutputFormat.NO_HEADERS),
              GetCommand::run,
              ResourceKinds.ALL.stream().map(ResourceKind::plural).toList()),
          new Command(
              "describe",
              "controller|limiter|replica NAME...",
              "Show everything about a controller, a limiter or a replica",
              List.of(),
              DescribeCommand::run,
              DescribeCommand.KINDS.stream().map(ResourceKind::singular).toList()),
          new Command(
              "explain",
              "[item] CONTROLLER [NAMESPACE/]NAME...",
              "Explain why an item is, or is not, being reconciled",
              with(
                  ScopeFlags.FLAGS,
                  ItemSelector.NAMESPACE,
                  OutputFormat.FLAG,
                  ExplainCommand.STACK),
              ExplainCommand::run),
          new Command(
              "find",
              "[NAMESPACE/]NAME",
              "Show what each controller has to report of an object",
              with(
                  with(SHOWN, ItemSelector.NAMESPACE, ExplainCommand.CONTROLLERS),
                  ScopeFlags.FLAGS),
              ExplainCommand::find),
          new Command(
              "wait",
              "controller/NAME... | item CONTROLLER [NAMESPACE/]NAME... --for=CONDITION",
              "Wait until controllers or items fulfil a condition",
              with(
                  with(ScopeFlags.FLAGS, WaitCommand.FOR, WaitCommand.TIMEOUT),
                  ItemSelector.NAMESPACE,
                  OutputFormat.FLAG),
              WaitCommand::run,
              List.of("controller", "item")),
          new Command(
              "top",
              "[controllers]",
              "Show the load of the controllers",
              with(with(SHOWN, TopCommand.SORT_BY), ScopeFlags.FLAGS),
              TopCommand::run,
              List.of(ResourceKinds.CONTROLLER.plural())),
          new Command(
              "timeline",
              "",
              "Show what has happened in the cluster",
              with(
                  with(SHOWN, GetCommand.SINCE, GetCommand.CONTROLLER, GetCommand.LIMIT),
                  ScopeFlags.FLAGS),
              context -> {
                context.words(0, "timeline");
                GetCommand.of(context, ResourceKinds.TIMELINE, List.of());
              }),
          new Command(
              "events",
              "",
              "Show all state as events, with -w every change",
              with(
                  ScopeFlags.FLAGS,
                  EventsCommand.WATCH,
                  EventsCommand.TOPICS,
                  EventsCommand.CONTROLLER,
                  OutputFormat.FLAG),
              EventsCommand::run),
          new Command(
              "dump",
              "[CONTROLLER...]",
              "Print all items as lines of JSON",
              with(DumpCommand.FLAGS, ScopeFlags.FLAGS),
              DumpCommand::run),
          new Command(
              "replicas",
              "[NAME...]",
              "Show the replicas of the host",
              SHOWN,
              context -> GetCommand.of(context, ResourceKinds.REPLICA, context.words(0, ""))),
          new Command(
              "slots",
              "[get] | reset",
              "Show the slots, or delete a slot map that replicas do not accept",
              with(
                  with(SHOWN, ScopeFlags.FLAGS),
                  GetCommand.OWNER,
                  GetCommand.STATE,
                  CommandContext.REASON,
                  CommandContext.YES,
                  SlotsCommand.RESET_FORCE),
              SlotsCommand::run,
              List.of("get", "reset")),
          new Command(
              "limiters",
              "[get] [NAME...] | set NAME... | reset NAME...",
              "Show limiters, and override them for a time",
              with(
                  with(SHOWN, ScopeFlags.FLAGS),
                  CommandContext.REASON,
                  LimitersCommand.RATE,
                  LimitersCommand.BURST,
                  LimitersCommand.TTL),
              LimitersCommand::run,
              List.of("get", "set", "reset")),
          new Command(
              "scale",
              "CONTROLLER... --max-concurrent N",
              "Change the number of concurrent attempts",
              with(
                  with(CHANGE, ScopeFlags.FLAGS),
                  ControllerActions.MAX_CONCURRENT,
                  ControllerActions.CURRENT),
              ControllerActions::scale),
          new Command(
              "retry",
              "CONTROLLER ([NAMESPACE/]NAME... | --failing and so on | --all)",
              "Make items due now",
              with(OF_MANY, BulkActions.SPREAD_OVER),
              ItemActions::retry),
          new Command(
              "forget",
              "CONTROLLER ([NAMESPACE/]NAME... | --failing and so on | --all)",
              "Reset the failures and backoff of items",
              with(OF_MANY, ItemActions.RESCHEDULE),
              ItemActions::forget),
          new Command(
              "requeue",
              "CONTROLLER ([NAMESPACE/]NAME... | --failing and so on | --all) --delay DURATION",
              "Change when items are due",
              with(OF_MANY, ItemActions.DELAY),
              ItemActions::requeue),
          new Command(
              "drop",
              "CONTROLLER [NAMESPACE/]NAME...",
              "Remove items from the queue",
              with(OF_ITEMS, CommandContext.YES),
              ItemActions::drop),
          new Command(
              "enqueue",
              "CONTROLLER [NAMESPACE/]NAME...",
              "Add requests to the queue",
              with(OF_ITEMS, ItemActions.DELAY),
              ItemActions::enqueue),
          new Command(
              "flush",
              "CONTROLLER (--failing and so on | --all)",
              "Empty a queue or a part of it",
              with(
                  with(OF_MANY, BulkActions.THEN, BulkActions.SPREAD_OVER),
                  BulkActions.KEEP_FAILURES,
                  BulkActions.DROP_DIRTY),
              BulkActions::flush),
          new Command(
              "operations",
              "[get] [ID...] | stop ID... | wait ID...",
              "Show, stop or await bulk changes",
              with(
                  with(with(SHOWN, ScopeFlags.FLAGS), GetCommand.CONTROLLER, GetCommand.STATE),
                  CommandContext.REASON,
                  OperationsCommand.TIMEOUT),
              OperationsCommand::run,
              List.of("get", "stop", "wait")),
          new Command(
              "pause",
              "CONTROLLER...",
              "Start no new attempts",
              with(CHANGE, ControllerActions.CAUSE, ControllerActions.FOR, ControllerActions.UNTIL),
              ControllerActions::pause),
          new Command(
              "resume",
              "CONTROLLER...",
              "End a pause",
              with(CHANGE, ControllerActions.CAUSE),
              ControllerActions::resume),
          new Command(
              "undo",
              "[REQUEST-ID]",
              "Restore what was before a change",
              with(CHANGE, CommandContext.YES, UndoCommand.DRY_RUN),
              UndoCommand::run),
          new Command(
              "drain",
              "REPLICA...",
              "Move the slots of replicas to the others",
              with(
                  CHANGE,
                  SlotsCommand.UNDO,
                  SlotsCommand.FORCE,
                  SlotsCommand.WAIT,
                  SlotsCommand.TIMEOUT),
              SlotsCommand::drain),
          new Command(
              "plugin",
              "deploy NAME... | stop NAME... | redeploy NAME...",
              "Deploy, stop or replace plug-ins",
              with(
                  with(CHANGE, ScopeFlags.FLAGS),
                  ControllerActions.WAIT,
                  ControllerActions.TIMEOUT),
              ControllerActions::plugin,
              ControllerActions.PLUGIN_ACTIONS),
          new Command(
              "version",
              "",
              "Show the versions of this program and of the replicas",
              List.of(VersionCommand.CLIENT, OutputFormat.FLAG),
              VersionCommand::run),
          new Command(
              "completion",
              String.join("|", CompletionCommand.SHELLS),
              "Print a completion script for your shell",
              List.of(),
              CompletionCommand::run,
              CompletionCommand.SHELLS));

  private Commands() {}

  private static List<Flag> with(List<Flag> flags, Flag... more) {
    return with(flags, List.of(more));
  }

  private static List<Flag> with(List<Flag> flags, List<Flag> more) {
    List<Flag> all = new ArrayList<>(flags);
    all.addAll(more);
    return List.copyOf(all);
  }
}
