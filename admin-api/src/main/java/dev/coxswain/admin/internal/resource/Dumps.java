// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.http.StreamLimit;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerStreams;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.verticle.YieldingExecutor;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Dumps of all items of a queue as lines of JSON; one dump per caller at a time. Parts for other
 * replicas are counted in addition, so that a caller can have a dump through each of them. Confined
 * to the admin event loop.
 */
public final class Dumps {

  public static final String TYPE = "application/x-ndjson";

  /** Each keeps one page in memory. */
  static final int MAX_DUMPS = 8;

  /** For other replicas: the number that one replica can read from another. */
  public static final int MAX_PARTS = PeerStreams.MAX_STREAMS;

  /** For one caller, if there are not more replicas. */
  public static final int MAX_PARTS_PER_CALLER = 8;

  /**
   * The number of items of one request, which the controller reads in one task of its event loop.
   */
  private static final int PAGE = 250;

  private final ControllerCalls calls;
  private final Context context;
  private final Executor slices;
  private final ControllerDirectory directory;
  private final AdminOptions options;
  private final StreamLimit open = new StreamLimit();

  public Dumps(Context context, ControllerDirectory directory, AdminOptions options) {
    this.context = context;
    this.directory = directory;
    this.options = options;
    // Separate from plain requests, which would wait for slices of every dump, and be refused when
    // many pages are requested.
    this.slices = new YieldingExecutor(context);
    this.calls = new ControllerCalls(context, slices, MAX_DUMPS + MAX_PARTS);
  }

  /** Counts a dump until its request ends; a {@link Rejection} when there are too many. */
  public void admit(RequestContext exchange) {
    boolean part = exchange.ofReplica();
    int most = part ? MAX_PARTS : MAX_DUMPS;
    int each = part ? Math.max(MAX_PARTS_PER_CALLER, directory.replicas().size()) : 1;
    if (!open.admit(exchange, most, each)) {
      throw Problem.tooMany(
              "dump-running",
              "Dump running",
              "a replica makes at most "
                  + most
                  + (part ? " dumps for other replicas, " : " dumps at a time, ")
                  + each
                  + " for one caller",
              5)
          .rejection();
    }
  }

  /**
   * Dumps the items of this replica. The response starts with the first page, so that earlier
   * failures are sent as a problem.
   */
  public Future<Response> begin(
      RequestContext exchange,
      ControllerHandle handle,
      ItemFilter filter,
      @Nullable Set<String> fields) {
    admit(exchange);
    boolean syncing = Syncing.is(handle);
    return page(handle, filter, null)
        .map(first ->
            reply(handle.name(), List.of(part(handle, filter, fields, syncing, first)), List.of()));
  }

  /** Responds with all parts. */
  public Response reply(String controller, List<DumpPart> parts, List<PeerAnswer> missing) {
    return Response.stream(
        TYPE,
        response ->
            new Dump(context.owner(), response, options.idleTimeout(), parts, missing)
                .write(controller, directory.replica()));
  }

  /**
   * Returns the part of this replica.
   *
   * @param syncing whether the controller was syncing before its first page was requested
   * @param first its first page; null when it has not been requested
   */
  public DumpPart part(
      ControllerHandle handle,
      ItemFilter filter,
      @Nullable Set<String> fields,
      boolean syncing,
      @Nullable ItemPage first) {
    return new DumpPages(
        context.owner(),
        slices,
        Json.clean(directory.replica()),
        cursor -> page(handle, filter, cursor),
        syncing,
        first,
        options.requestTimeout(),
        fields);
  }

  private Future<ItemPage> page(
      ControllerHandle handle, ItemFilter filter, ItemPage.@Nullable Cursor cursor) {
    return calls.call(handle, h -> h.list(filter, cursor, PAGE));
  }
}
