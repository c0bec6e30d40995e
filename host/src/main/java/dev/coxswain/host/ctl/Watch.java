// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

import java.util.Map;

/** {@code get -w}: a line for everything, and another one whenever something changes. */
final class Watch {

  private Watch() {}

  static void run(Call call, Kind kind) {
    String topic = topic(kind);
    Listing listing = new Listing(kind, call.arguments(), call.around(), false, true);
    new EventStream(
            call,
            Map.of("topics", topic),
            true,
            (name, object) -> {
              if (!object.flag("gone") && !object.text("state").equals("gone")) {
                show(call, kind, object, listing);
              }
            })
        .follow();
  }

  private static String topic(Kind kind) {
    if (kind.equals(Kinds.ITEM) || kind.equals(Kinds.AUDIT)) {
      throw new CtlException(
          "changes of "
              + kind.plural()
              + " are not told; watch controllers, operations, limiters or members");
    }
    return kind.equals(Kinds.MEMBER) ? "replicas" : kind.plural();
  }

  /** An event tells the most important fields; a line has them all. */
  private static void show(Call call, Kind kind, Json object, Listing listing) {
    if (kind.equals(Kinds.MEMBER)) {
      object.list("items").forEach(listing::object);
    } else if (kind.equals(Kinds.LIMITER)) {
      listing.object(object);
    } else {
      String name = object.text(kind.equals(Kinds.CONTROLLER) ? "controller" : "id");
      try {
        listing.object(call.get(AdminClient.path(kind.plural(), name)));
      } catch (Problem problem) {
        if (problem.status() != GetCommand.NOT_FOUND) {
          throw problem;
        }
      }
    }
  }
}
