// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of the admin API, and texts about their objects. */
public final class ResourceKinds {

  private static final String NO_OWNER = "noOwner";

  public static final ResourceKind CONTROLLER =
      new ResourceKind("controller", "controllers", List.of("ctl"), "name");

  public static final ResourceKind ITEM = new ResourceKind("item", "items", List.of(), "id");

  public static final ResourceKind CAUSE = new ResourceKind("cause", "causes", List.of(), "id");

  public static final ResourceKind REPLICA =
      new ResourceKind("replica", "replicas", List.of(), "replica");

  public static final ResourceKind SLOT = new ResourceKind("slot", "slots", List.of(), "slot");

  public static final ResourceKind LIMITER =
      new ResourceKind("limiter", "limiters", List.of(), "name");

  public static final ResourceKind PLUGIN =
      new ResourceKind("plugin", "plugins", List.of(), "name");

  public static final ResourceKind CACHE = new ResourceKind("cache", "caches", List.of(), "name");

  public static final ResourceKind CONFIGURATION =
      new ResourceKind("config", "config", List.of(), "replica");

  public static final ResourceKind OPERATION =
      new ResourceKind("operation", "operations", List.of("op", "ops"), "id");

  public static final ResourceKind AUDIT =
      new ResourceKind("audit", "audit", List.of("audits"), "seq");

  public static final ResourceKind CHANGE =
      new ResourceKind("change", "changes", List.of(), "requestId");

  public static final ResourceKind TIMELINE =
      new ResourceKind("timeline", "timeline", List.of(), "type");

  public static final List<ResourceKind> ALL =
      List.of(
          CONTROLLER,
          ITEM,
          CAUSE,
          REPLICA,
          SLOT,
          LIMITER,
          PLUGIN,
          CACHE,
          CONFIGURATION,
          OPERATION,
          AUDIT,
          CHANGE,
          TIMELINE);

  private ResourceKinds() {}

  /** Returns a key as {@code namespace/name}. */
  public static String key(Json key) {
    return key.text("namespace") + "/" + key.text("name");
  }

  /** Returns the state of a controller with its pause and conditions. */
  public static String state(Json controller) {
    Stream<String> conditions =
        controller.list("conditions").stream()
            .map(one -> one.text("type"))
            .filter(type -> !type.equals(NO_OWNER)) // same as the state
            .distinct();
    return Stream.concat(
            Stream.of(controller.text("state") + (controller.flag("paused") ? ",paused" : "")),
            conditions)
        .collect(Collectors.joining(","));
  }

  /** Returns the phase of an item with its marks, such as {@code dirty}. */
  public static String phase(Json item) {
    return item.text("phase")
        + (item.flag("dirty") ? ",dirty" : "")
        + (item.flag("overdue") ? ",overdue" : "");
  }

  /** Returns why a controller has no owner, or an empty text. */
  public static String unowned(Json controller) {
    return controller.list("conditions").stream()
        .filter(condition -> condition.text("type").equals(NO_OWNER))
        .map(condition -> condition.text("message"))
        .findFirst()
        .orElse("");
  }

  /** Returns when the last item of an operation is expected to be due, or an empty text. */
  public static String expectedEnd(Json operation, Instant now) {
    return operation.has("expectedEnd")
        ? HumanDuration.relative(operation.text("expectedEnd"), now)
        : "";
  }
}
