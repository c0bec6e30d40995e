// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a change is about, and records the intent before it and the outcome after it.
 * Confined to the admin event loop.
 */
public final class AuditEntry {

  private final AuditTrail trail;
  private final String requestId;
  private final String remote;
  private String actor = "";
  private String groups = "";
  private String action = "unknown";
  private String controller = "";
  private String item = "";
  private String operation = "";
  private String selector = "";
  private String limiter = "";
  private String change = "";
  private String reason = "";
  private int matched = -1;
  private int applied = -1;
  private @Nullable Future<Void> intended;
  private boolean outcomeFollows;

  public AuditEntry(AuditTrail trail, String requestId, String remote) {
    this.trail = trail;
    this.requestId = requestId;
    this.remote = remote;
  }

  public void actor(Principal value) {
    actor = Json.line(value.name(), 253);
    groups = Json.line(String.join(",", value.groups()), 512);
  }

  public void action(String value) {
    action = Json.line(value, 64);
  }

  public void controller(String value) {
    controller = Json.line(value, 64);
  }

  public void item(ItemId id) {
    item = Json.line(id.namespace() + "/" + id.name(), 512);
  }

  public void operation(String id) {
    operation = Json.line(id, 64);
  }

  public void selector(String json) {
    selector = Json.line(json, 1024);
  }

  public void limiter(String value) {
    limiter = Json.line(value, 64);
  }

  /** What is set to what. */
  public void change(String json) {
    change = Json.line(json, 1024);
  }

  public void reason(String value) {
    reason = Json.line(value, 512);
  }

  public void counts(int ofMatched, int ofApplied) {
    matched = ofMatched;
    applied = ofApplied;
  }

  /**
   * Records that the change is about to be made. Fails with a {@link Rejection} when it cannot be
   * recorded: then it must not be made.
   */
  public Future<Void> intent() {
    Future<Void> before = intended;
    if (before == null) {
      before = trail.intent(record(AuditRecord.Stage.INTENT, "", 0));
      intended = before;
    }
    return before;
  }

  /** The answer to the request does not tell the outcome; {@link #outcome} is called later. */
  public void outcomeFollows() {
    outcomeFollows = true;
  }

  /** The request has been answered. */
  public void answered(String result, int status) {
    if (!outcomeFollows) {
      outcome(result, status);
    }
  }

  /** Records what became of it, in one word. */
  public void outcome(String result, int status) {
    trail.outcome(record(AuditRecord.Stage.OUTCOME, result, status));
  }

  private AuditRecord record(AuditRecord.Stage stage, String result, int status) {
    return new AuditRecord(
        0, // the trail has the number and the time
        Instant.EPOCH,
        stage,
        actor,
        groups,
        action,
        controller,
        item,
        operation,
        selector,
        limiter,
        change,
        reason,
        matched,
        applied,
        result,
        status,
        requestId,
        remote);
  }
}
