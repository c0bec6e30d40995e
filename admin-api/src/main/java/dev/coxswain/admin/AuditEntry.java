// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.queue.ItemId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects what a change was about, and writes one line of it to the logger {@code audit}. */
final class AuditEntry {

  private static final Logger AUDIT = LoggerFactory.getLogger("audit");

  private final String requestId;
  private final String remote;
  private String actor = "";
  private String groups = "";
  private String action = "unknown";
  private String controller = "";
  private String item = "";
  private String reason = "";

  AuditEntry(String requestId, String remote) {
    this.requestId = requestId;
    this.remote = remote;
  }

  void actor(Principal value) {
    actor = Json.line(value.name(), 253);
    groups = Json.line(String.join(",", value.groups()), 512);
  }

  void action(String value) {
    action = value;
  }

  void controller(String value) {
    controller = Json.line(value, 64);
  }

  void item(ItemId id) {
    item = Json.line(id.namespace() + "/" + id.name(), 512);
  }

  void reason(String value) {
    reason = Json.line(value, 512);
  }

  /** Writes the line; {@code result} is the outcome in one word. */
  void write(String result, int status) {
    AUDIT
        .atInfo()
        .addKeyValue("actor", actor)
        .addKeyValue("groups", groups)
        .addKeyValue("action", action)
        .addKeyValue("controller", controller)
        .addKeyValue("item", item)
        .addKeyValue("reason", reason)
        .addKeyValue("result", result)
        .addKeyValue("status", status)
        .addKeyValue("requestId", requestId)
        .addKeyValue("remote", remote)
        .log("Admin change");
  }
}
