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
import io.vertx.core.Future;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reset of the slot map: it is deleted, and the replicas make another one. The receiving replica
 * does it for all.
 */
public final class SlotReset {

  private static final Logger log = LoggerFactory.getLogger(SlotReset.class);

  /** The action in audit records. */
  public static final String RESET = "reset-slots";

  private final ControllerDirectory directory;
  private final ItemSlots slots;

  public SlotReset(ControllerDirectory directory, ItemSlots slots) {
    this.directory = directory;
    this.slots = slots;
  }

  /** Deletes a slot map that this replica does not accept, or any one by force. */
  public Future<Response> reset(RequestContext context) {
    context.audit().action(RESET);
    context.query().done();
    Body body = context.body();
    boolean force = body.flag("force", false);
    String reason = body.reason();
    body.done();
    SlotDirectory directed = slots.required(409);
    String problem = directed.rejected();
    if (problem.isEmpty() && !force) {
      throw Problem.of(
              409,
              "slot-map-accepted",
              "Slot map accepted",
              "replica \""
                  + Json.line(directory.replica(), 64)
                  + "\" accepts the slot map; if another replica does not, send \"force\": true:"
                  + " all slots are closed for some seconds then, and nothing is lost")
          .rejection();
    }
    context.audit().reason(reason);
    context.audit().change(Json.text(Map.of("force", force)));
    return context
        .change(() -> directed.deleteMap().recover(cause -> notDeleted(context, cause)))
        .map(deleted -> {
          return Response.ok(
              ChangeResource.of("SlotResetResult", true)
                  .replica(directory.replica())
                  .problem(problem.isEmpty() ? null : problem)
                  .build());
        });
  }

  private static Future<Void> notDeleted(RequestContext context, Throwable cause) {
    log.atWarn()
        .addKeyValue("requestId", context.id())
        .setCause(cause)
        .log("slot map could not be deleted");
    return Future.failedFuture(
        Problem.unavailable(
                "slots-not-reset",
                "Slots not reset",
                "the API server did not confirm the deletion of the slot map; the log has the cause,"
                    + " such as a missing right to delete it: check before you try again")
            .rejection());
  }
}
