// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.audit.AuditRecord.Field;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a change, and records its intent and its outcome. Confined to the admin
 * event loop.
 */
public final class AuditEntry {

  /** The fields that the log has even when they are empty. */
  private static final Set<Field> ALWAYS =
      EnumSet.of(Field.ACTOR, Field.GROUPS, Field.CONTROLLER, Field.ITEM, Field.REASON);

  private final AuditTrail trail;
  private final Map<Field, Object> fields = new EnumMap<>(Field.class);
  private @Nullable Future<Void> intent;
  private boolean outcomeFollows;

  public AuditEntry(AuditTrail trail, String requestId, String remote) {
    this.trail = trail;
    ALWAYS.forEach(field -> fields.put(field, ""));
    fields.put(Field.ACTION, "unknown");
    fields.put(Field.REQUEST_ID, requestId);
    fields.put(Field.REMOTE, remote);
  }

  public void actor(Principal value) {
    put(Field.ACTOR, value.name());
    put(Field.GROUPS, String.join(",", value.groups()));
  }

  public void action(String value) {
    put(Field.ACTION, value);
  }

  public void controller(String value) {
    put(Field.CONTROLLER, value);
  }

  public void item(ItemId id) {
    put(Field.ITEM, id.namespace() + "/" + id.name());
  }

  public void operation(String id) {
    put(Field.OPERATION, id);
  }

  public void selector(String json) {
    put(Field.SELECTOR, json);
  }

  public void limiter(String value) {
    put(Field.LIMITER, value);
  }

  public void plugin(String value) {
    put(Field.PLUGIN, value);
  }

  public void change(String json) {
    put(Field.CHANGE, json);
  }

  /** Records a change that another replica has made for this request, unless this one has its own. */
  public void changeOfPeer(String json) {
    if (!fields.containsKey(Field.CHANGE)) {
      put(Field.CHANGE, json);
    }
  }

  /** Returns the recorded change; empty for none. */
  public String change() {
    return String.valueOf(fields.getOrDefault(Field.CHANGE, ""));
  }

  public void undoes(String requestId) {
    put(Field.UNDOES, requestId);
  }

  public void reason(String value) {
    put(Field.REASON, value);
  }

  public void counts(int matched, int applied) {
    fields.put(Field.MATCHED, matched);
    fields.put(Field.APPLIED, applied);
  }

  private void put(Field field, String value) {
    if (value.isEmpty() && !ALWAYS.contains(field)) {
      fields.remove(field);
    } else {
      fields.put(field, Json.line(value, field.maxLength));
    }
  }

  /**
   * Records the intent, once. Fails with a {@link Rejection} when it cannot be recorded; the change
   * must not be made then.
   */
  public Future<Void> intent() {
    Future<Void> recorded = intent;
    if (recorded == null) {
      Map<Field, Object> now = new EnumMap<>(fields);
      now.put(Field.STAGE, "intent");
      recorded = trail.intent(now);
      intent = recorded;
    }
    return recorded;
  }

  /** The response does not report the outcome; {@link #outcome} is called later. */
  public void outcomeFollows() {
    outcomeFollows = true;
  }

  /** Records the response as the outcome, unless the outcome follows later. */
  public void answered(String result, int status) {
    if (!outcomeFollows) {
      outcome(result, status);
    }
  }

  /** Records the outcome, in one word. */
  public void outcome(String result, int status) {
    trail.outcome(outcomeFields(result, status), intent == null || intent.failed());
  }

  Map<Field, Object> outcomeFields(String result, int status) {
    Map<Field, Object> now = new EnumMap<>(fields);
    now.put(Field.STAGE, "outcome");
    now.put(Field.RESULT, result);
    now.put(Field.STATUS, status);
    return now;
  }
}
