// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.YieldingExecutor;
import dev.coxswain.queue.ItemFilter;
import dev.coxswain.queue.ItemPage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes all items of a queue as lines of JSON; one dump per caller at a time. Event-loop confined.
 */
final class Dumps {

  static final String TYPE = "application/x-ndjson";

  /** Each keeps one page in memory. */
  private static final int MAX_DUMPS = 8;

  private final Calls calls;
  private final Context context;
  private final Executor yielding;
  private final String replica;
  private final Duration patience;
  private final Set<String> callers = new HashSet<>();

  Dumps(Calls calls, Context context, String replica, Duration patience) {
    this.calls = calls;
    this.context = context;
    this.yielding = new YieldingExecutor(context);
    this.replica = replica;
    this.patience = patience;
  }

  /** Begins when the first page is there, so that what is wrong until then is a plain problem. */
  Future<Reply> begin(
      Exchange exchange, ControllerHandle handle, ItemFilter filter, @Nullable Set<String> fields) {
    String caller = exchange.caller();
    if (callers.size() >= MAX_DUMPS || !callers.add(caller)) {
      throw Problem.of(
              429,
              "dump-running",
              "Dump running",
              "a caller makes one dump at a time, and a replica at most " + MAX_DUMPS)
          .with("Retry-After", "5")
          .rejection();
    }
    exchange.atEnd(() -> callers.remove(caller));
    return ask(handle, filter, null)
        .map(first ->
            Reply.stream(
                TYPE,
                response -> {
                  Dump dump =
                      new Dump(
                          response,
                          context,
                          yielding,
                          cursor -> ask(handle, filter, cursor),
                          patience,
                          fields);
                  return dump.write(handle.name(), replica, first);
                }));
  }

  private Future<ItemPage> ask(
      ControllerHandle handle, ItemFilter filter, ItemPage.@Nullable Cursor cursor) {
    return calls.ask(handle, h -> h.list(filter, cursor, ControllerHandle.MAX_PAGE));
  }
}
