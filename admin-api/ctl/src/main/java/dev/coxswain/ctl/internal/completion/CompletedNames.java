// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.completion;

import dev.coxswain.ctl.internal.print.ResourceKind;
import dev.coxswain.ctl.internal.print.ResourceKinds;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The objects whose names may come next on a command line.
 *
 * @param kind of the objects
 * @param controller of items; empty for other kinds
 */
record CompletedNames(ResourceKind kind, String controller) {

  /** The commands whose first word is a controller. */
  private static final Set<String> OF_CONTROLLERS =
      Set.of(
          "dump", "scale", "pause", "resume", "flush", "enqueue", "explain", "retry", "forget",
          "requeue", "drop");

  /** The ones of them for several controllers. */
  private static final Set<String> OF_SEVERAL = Set.of("dump", "scale", "pause", "resume");

  /** The ones of them whose further words are items. */
  private static final Set<String> OF_ITEMS =
      Set.of("explain", "retry", "forget", "requeue", "drop");

  /** The commands whose first word is a kind. */
  private static final Set<String> OF_KINDS = Set.of("get", "describe", "wait");

  /** The commands of one kind, some with a verb before the names. */
  private static final Map<String, ResourceKind> OF_ONE_KIND =
      Map.of(
          "replicas", ResourceKinds.REPLICA,
          "drain", ResourceKinds.REPLICA,
          "limiters", ResourceKinds.LIMITER,
          "plugin", ResourceKinds.PLUGIN,
          "operations", ResourceKinds.OPERATION,
          "undo", ResourceKinds.CHANGE);

  private static final Map<String, ResourceKind> OF_FLAGS =
      Map.of(
          "--replica", ResourceKinds.REPLICA,
          "--owner", ResourceKinds.REPLICA,
          "--controller", ResourceKinds.CONTROLLER,
          "-c", ResourceKinds.CONTROLLER);

  private static final String CAUSE = "--cause";

  private static final List<ResourceKind> WITHOUT_NAMES =
      List.of(
          ResourceKinds.SLOT, ResourceKinds.AUDIT, ResourceKinds.CHANGE, ResourceKinds.TIMELINE);

  /** Returns whether the command has names at all. */
  static boolean has(String command) {
    return OF_CONTROLLERS.contains(command)
        || OF_KINDS.contains(command)
        || OF_ONE_KIND.containsKey(command);
  }

  /** Returns whether the values of a flag are names. */
  static boolean hasFlag(String flag) {
    return OF_FLAGS.containsKey(flag) || flag.equals(CAUSE);
  }

  /**
   * Returns what the value of a flag is a name of, or null. A cause is one of the controller that the
   * words before name.
   *
   * @param words of the command, without the flag
   */
  static @Nullable CompletedNames ofFlag(String flag, String command, List<String> words) {
    if (flag.equals(CAUSE)) {
      int at = OF_KINDS.contains(command) ? 1 : 0; // behind the kind
      return words.size() > at
          ? new CompletedNames(ResourceKinds.CAUSE, bare(words.get(at)))
          : null;
    }
    ResourceKind kind = OF_FLAGS.get(flag);
    return kind == null ? null : of(kind);
  }

  /**
   * Returns what comes after some words of a command, or null when that is no name.
   *
   * @param words the ones before the one that is completed
   */
  static @Nullable CompletedNames after(String command, List<String> words, String current) {
    if (OF_CONTROLLERS.contains(command)) {
      List<String> rest =
          command.equals("explain")
                  && words.size() > 0
                  && ResourceKinds.ITEM.isCalled(words.getFirst())
              ? words.subList(1, words.size())
              : words;
      if (rest.isEmpty() || OF_SEVERAL.contains(command)) {
        return of(ResourceKinds.CONTROLLER);
      }
      return OF_ITEMS.contains(command) ? items(rest.getFirst()) : null;
    }
    if (OF_KINDS.contains(command)) {
      return words.isEmpty() ? ofPrefix(command, current) : ofKind(words);
    }
    ResourceKind kind = OF_ONE_KIND.get(command);
    return kind == null ? null : of(kind);
  }

  /** Returns the kind of {@code controller/} in {@code wait controller/NAME}. */
  private static @Nullable CompletedNames ofPrefix(String command, String current) {
    return command.equals("wait") && current.startsWith(ResourceKinds.CONTROLLER.singular() + "/")
        ? of(ResourceKinds.CONTROLLER)
        : null;
  }

  private static @Nullable CompletedNames ofKind(List<String> words) {
    String first = words.getFirst();
    if (first.startsWith(ResourceKinds.CONTROLLER.singular() + "/")) {
      return of(ResourceKinds.CONTROLLER);
    }
    for (ResourceKind kind : ResourceKinds.ALL) {
      if (kind.isCalled(first) && !WITHOUT_NAMES.contains(kind)) {
        boolean ofController = kind.equals(ResourceKinds.ITEM) || kind.equals(ResourceKinds.CAUSE);
        if (ofController && words.size() == 1) {
          return of(ResourceKinds.CONTROLLER);
        }
        return kind.equals(ResourceKinds.ITEM)
            ? items(words.get(1))
            : kind.equals(ResourceKinds.CAUSE)
                ? new CompletedNames(kind, bare(words.get(1)))
                : of(kind);
      }
    }
    return null;
  }

  private static CompletedNames items(String controller) {
    return new CompletedNames(ResourceKinds.ITEM, bare(controller));
  }

  private static String bare(String controller) {
    return ResourceKinds.CONTROLLER.bareName(controller);
  }

  private static CompletedNames of(ResourceKind kind) {
    return new CompletedNames(kind, "");
  }
}
