// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.audit.AuditRecord;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.history.AuditResource;
import dev.coxswain.admin.internal.http.Cursors;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.slot.ReplicaDrain;
import dev.coxswain.admin.internal.slot.SlotReset;
import dev.coxswain.admin.spi.PluginDirectory;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The audit records in the memory of this replica, the youngest first. Confined to the admin event
 * loop.
 */
public final class Audits {

  /** The recorded actions of changes. */
  private static final Set<String> ACTIONS = actions();

  public static final int MAX_LIMIT = 500;

  private static final Pattern CURSOR = Pattern.compile("([0-9a-f]{16})-([0-9]{1,18})");

  private final AuditTrail trail;
  private final String replica;

  public Audits(AuditTrail trail, String replica) {
    this.trail = trail;
    this.replica = replica;
  }

  public Future<Response> list(RequestContext context) {
    Query query = context.query();
    AuditFilter filter = AuditFilter.read(query);
    String action = filter.action();
    int limit = query.number("limit", 1, MAX_LIMIT, Items.DEFAULT_LIMIT);
    String from = query.text("continue", 64);
    if (action != null && !ACTIONS.contains(action) && !recorded(action)) {
      query.fault(
          "action",
          "must be one of "
              + String.join(", ", ACTIONS)
              + ", found \""
              + Json.line(action, 64)
              + "\"");
    }
    query.done();
    long before = from == null ? Long.MAX_VALUE : decode(from);
    List<AuditResource> items = new ArrayList<>();
    String next = null;
    Iterator<AuditRecord> records = trail.youngestFirst();
    long last = 0;
    while (records.hasNext()) {
      AuditRecord record = records.next();
      if (filter.isTooOld(record.at())) {
        break;
      }
      if (record.seq() < before
          && filter.matches(
              record.actor(), record.action(), record.controller(), record.requestId())) {
        if (items.size() == limit) {
          next = position(trail.run(), last);
          break;
        }
        items.add(record.shown());
        last = record.seq();
      }
    }
    return Future.succeededFuture(Response.ok(new AuditList(replica, trail.run(), items, next)));
  }

  /**
   * Whether there is an action that this version has no name for, such as that of an unknown route.
   */
  private boolean recorded(String action) {
    Iterator<AuditRecord> records = trail.youngestFirst();
    while (records.hasNext()) {
      if (action.equals(records.next().action())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the names of all recorded actions, in alphabetical order. */
  public static Set<String> actions() {
    Set<String> actions =
        new TreeSet<>(
            List.of(
                "login",
                "undo",
                "operation",
                "setConcurrency",
                "note-operation",
                "stop-operation",
                Limiters.OVERRIDE,
                Limiters.CLEAR,
                ReplicaDrain.UNDRAIN,
                SlotReset.RESET));
    for (Verb verb : Verb.values()) {
      if (verb.effect() != Verb.Effect.READ) {
        actions.add(verb.label());
      }
    }
    for (Verb verb : List.of(Verb.FLUSH, Verb.FLUSHHARD, Verb.RETRY, Verb.FORGET, Verb.REQUEUE)) {
      actions.add("bulk-" + verb.label());
    }
    for (PluginDirectory.Action action : PluginDirectory.Action.values()) {
      actions.add(actionName(action));
    }
    return Collections.unmodifiableSet(actions);
  }

  /** Returns the name of an action on a plug-in, as it is recorded. */
  public static String actionName(PluginDirectory.Action action) {
    return action.label() + "-plugin";
  }

  /** Returns the position before the record of a number, in one run of this replica. */
  public static String position(String run, long seq) {
    return run + "-" + seq;
  }

  /** Returns the run of a position; empty for the empty one. */
  public static String run(String position) {
    return position.isEmpty() ? "" : position.substring(0, position.indexOf('-'));
  }

  /** Returns whether a text is a position; the empty text is the one before all records. */
  public static boolean isPosition(String text) {
    return text.isEmpty() || CURSOR.matcher(text).matches();
  }

  private long decode(String cursor) {
    Matcher form = CURSOR.matcher(cursor);
    if (!form.matches()) {
      throw Cursors.invalid("was not issued by this API");
    }
    if (!form.group(1).equals(trail.run())) {
      throw Cursors.expired("was issued before this replica started, or by another replica");
    }
    return Long.parseLong(form.group(2));
  }
}
