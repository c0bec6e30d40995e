// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ChangeResource;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.admin.spi.SlotDirectory.Share;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.View;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The drain of this replica: its slots move to the others. Confined to the admin event loop. */
public final class ReplicaDrain {

  private static final Logger log = LoggerFactory.getLogger(ReplicaDrain.class);

  /** The actions in audit records. */
  public static final String DRAIN = "drain";

  public static final String UNDRAIN = "undrain";

  private final ControllerDirectory directory;
  private final ItemSlots slots;

  public ReplicaDrain(ControllerDirectory directory, ItemSlots slots) {
    this.directory = directory;
    this.slots = slots;
  }

  /** Gives the slots of this replica to the others. */
  public Future<Response> begin(RequestContext context) {
    context.audit().action(DRAIN);
    context.query().done();
    Body body = context.body();
    boolean force = body.flag("force", false);
    String reason = body.reason();
    body.done();
    View view = slots.required(409).view();
    boolean drained = isDrained(view);
    if (!force && !drained) {
      checkOthers(view);
    }
    return change(context, reason, force, true);
  }

  /** Gives this replica its share of the slots again. */
  public Future<Response> end(RequestContext context) {
    context.audit().action(UNDRAIN);
    context.query().done();
    Body body = context.body();
    String reason = body.reason();
    body.done();
    return change(context, reason, false, false);
  }

  private Future<Response> change(
      RequestContext context, String reason, boolean force, boolean drained) {
    SlotDirectory directed = slots.required(409);
    View before = directed.view();
    context.audit().reason(reason);
    context.audit().change(noted(directory.replica(), force));
    return context
        .change(() -> directed.drain(drained).recover(cause -> notStored(context, cause)))
        .map(stored -> {
          return Response.ok(
              ChangeResource.of("DrainResult", isDrained(before) != drained)
                  .replica(directory.replica())
                  .drained(drained)
                  .slots(count(before))
                  .build());
        });
  }

  /** Returns the change as audit records have it. */
  public static String noted(String replica, boolean force) {
    return Json.text(new Change(replica, force ? true : null));
  }

  private record Change(String replica, @Nullable Boolean force) {}

  private static Future<Void> notStored(RequestContext context, Throwable cause) {
    log.atWarn()
        .addKeyValue("requestId", context.id())
        .setCause(cause)
        .log("weight of this replica could not be stored");
    return Future.failedFuture(
        Problem.unavailable(
                "drain-not-stored",
                "Drain not stored",
                "the API server did not confirm the write of the replica Lease; unless only its"
                    + " response was lost, nothing was changed: check before you try again")
            .rejection());
  }

  private boolean isDrained(View view) {
    return view.share(directory.replica()).map(Share::drained).orElse(false);
  }

  private long count(View view) {
    return view.slots().stream()
        .map(Slot::owner)
        .filter(owner -> owner != null && owner.replica().equals(directory.replica()))
        .filter(view::isLive)
        .count();
  }

  /** Refuses to drain the only replica that may get slots. */
  private void checkOthers(View view) {
    boolean other =
        view.replicas().stream()
            .anyMatch(share -> share.eligible() && !share.replica().equals(directory.replica()));
    if (!other) {
      throw Problem.of(
              409,
              "last-replica",
              "No other replica",
              "no other replica can take the slots of \""
                  + Json.line(directory.replica(), 64)
                  + "\": each other one is drained, is leaving or has the weight 0; start another"
                  + " replica, or send \"force\": true, and the slots stay where they are until"
                  + " another replica can take them")
          .rejection();
    }
  }
}
