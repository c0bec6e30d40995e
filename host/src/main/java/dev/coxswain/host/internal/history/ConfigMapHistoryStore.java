// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.history;

import dev.coxswain.admin.spi.HistoryStore;
import dev.coxswain.host.internal.config.ChangeSettings;
import dev.coxswain.host.internal.history.HistoryFormat.Bounds;
import dev.coxswain.host.internal.history.HistoryFormat.Numbered;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the history in one ConfigMap of all replicas. Entries are written together, some seconds
 * after the first of them; while the API server does not accept them they are kept, as many as the
 * ConfigMap would have, and tried again.
 *
 * <p>Thread rule: any thread.
 */
public final class ConfigMapHistoryStore implements HistoryStore {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigMapHistoryStore.class);

  /** From the first entry to its write: the intent and the outcome of a change are one write. */
  private static final Duration SOON = Duration.ofSeconds(1);

  /**
   * Between two writes. It doubles while each write is followed by more, since each write stores the
   * whole object again.
   */
  private static final Duration APART = Duration.ofSeconds(5);

  private static final Duration FAR_APART = Duration.ofSeconds(30);

  /** The longest time between two tries while writes fail. */
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);

  /** How long what was read counts as what is stored. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private static final Duration READ_LIMIT = Duration.ofSeconds(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(3);
  private static final int TOO_LARGE = 413;
  private static final int INVALID = 422;

  private final Vertx vertx;
  private final Kubernetes kubernetes;
  private final Request key;
  private final Clock clock;
  private final Runnable failed;
  private final String run = "%08x".formatted(ThreadLocalRandom.current().nextInt());

  // All below is under the lock.
  private final List<Numbered> waiting = new ArrayList<>(); // the oldest first
  private long lastNumber;
  private boolean stopped;
  private long timer = -1;
  private @Nullable Future<Void> writing;
  private Duration pause = APART;
  private long wroteAt;
  private boolean wrote;
  private int failures;
  private @Nullable Future<List<Entry>> reading;
  private long readAt;
  private boolean known; // whether anything was read

  /** What was read last; written under the lock. */
  private volatile Contents read = new Contents("none", List.of());

  /**
   * Creates a store.
   *
   * @param failed counts a failed write
   */
  public ConfigMapHistoryStore(
      Vertx vertx,
      Kubernetes kubernetes,
      ChangeSettings.History where,
      Clock clock,
      Runnable failed) {
    this.vertx = vertx;
    this.kubernetes = kubernetes;
    this.key = Request.of(where.namespace(), where.name());
    this.clock = clock;
    this.failed = failed;
  }

  /** Returns the number of entries that are not stored yet. */
  public synchronized int waiting() {
    return waiting.size();
  }

  // ---- writes ----

  @Override
  public synchronized void add(Entry entry) {
    if (stopped) {
      return; // the log has it
    }
    if (!HistoryFormat.accepts(entry)) {
      failed.run();
      LOG.atWarn()
          .addKeyValue("kind", entry.kind())
          .addKeyValue("group", entry.group())
          .addKeyValue("bytes", entry.json().length())
          .log("entry of the history is too large or not well-formed, not stored");
      return;
    }
    waiting.add(new Numbered(entry, ++lastNumber));
    dropOldest(entry.kind());
    schedule();
  }

  /** Drops what would be removed from the ConfigMap by the younger entries after it. */
  private void dropOldest(Kind kind) {
    Bounds bounds = Bounds.of(kind);
    int count = 0;
    long bytes = 0;
    for (int i = waiting.size() - 1; i >= 0; i--) {
      Entry entry = waiting.get(i).entry();
      if (entry.kind() == kind) {
        count++;
        bytes += entry.json().length();
        if (count > bounds.count() || bytes > bounds.bytes()) {
          waiting.remove(i);
        }
      }
    }
  }

  private void schedule() {
    if (timer < 0 && writing == null && !waiting.isEmpty() && !stopped) {
      timer = vertx.setTimer(Math.max(1, untilNext().toMillis()), _ -> write());
    }
  }

  private Duration untilNext() {
    Duration apart = pause;
    if (failures > 0) {
      Duration backoff = APART.multipliedBy(1L << Math.min(failures - 1, 10));
      apart = backoff.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : backoff;
    }
    // Replicas that began together shall not write together.
    apart = apart.plusMillis(ThreadLocalRandom.current().nextLong(apart.toMillis() / 4));
    Duration left = wrote ? apart.minus(Duration.ofNanos(clock.nanos() - wroteAt)) : Duration.ZERO;
    return left.compareTo(SOON) < 0 ? SOON : left;
  }

  /** Writes what waits now; completes when it is stored, and fails when it is not. */
  private synchronized Future<Void> write() {
    vertx.cancelTimer(timer);
    timer = -1;
    Future<Void> running = writing;
    if (running != null) {
      return running;
    }
    if (waiting.isEmpty()) {
      return Future.succeededFuture();
    }
    List<Numbered> entries = List.copyOf(waiting);
    long now = clock.nanos();
    boolean busy = wrote && now - wroteAt < pause.multipliedBy(2).toNanos();
    Duration longer = busy ? pause.multipliedBy(2) : APART;
    pause = longer.compareTo(FAR_APART) > 0 ? FAR_APART : longer;
    wroteAt = now;
    wrote = true;
    Promise<Void> done = Promise.promise();
    writing = done.future(); // before the write, whose end may be reported at once
    vertx
        .executeBlocking(() -> contents(put(HistoryFormat.values(run, entries))), false)
        .onComplete((stored, cause) -> {
          ended(entries.getLast().number(), stored, cause);
          if (cause == null) {
            done.complete();
          } else {
            done.fail(cause);
          }
        });
    return done.future();
  }

  private V1ConfigMap put(Map<String, String> values) {
    try {
      return put(values, false);
    } catch (ApiStatusException e) {
      if (e.code() != TOO_LARGE && e.code() != INVALID) {
        throw e;
      }
      return put(values, true); // something else is in it, too
    }
  }

  private V1ConfigMap put(Map<String, String> values, boolean half) {
    return kubernetes
        .resource(V1ConfigMap.class)
        .createOrPatch(
            key,
            V1ConfigMap::new,
            map -> map.setData(HistoryFormat.with(map.getData(), values, half)));
  }

  private synchronized void ended(long last, @Nullable Contents stored, @Nullable Throwable cause) {
    writing = null;
    if (stored != null) {
      waiting.removeIf(entry -> entry.number() <= last);
      take(stored);
      if (failures > 0) {
        LOG.atInfo().addKeyValue("configMap", key).log("history is stored again");
      }
      failures = 0;
    } else {
      failures++;
      failed.run();
      if (failures == 1) {
        LOG.atWarn()
            .addKeyValue("configMap", key)
            .addKeyValue("waiting", waiting.size())
            .addKeyValue("error", String.valueOf(cause))
            .log(
                "finished operations and audit records not stored, will be retried; the ConfigMap"
                    + " must exist, and the host needs the rights get and patch for it");
      }
    }
    schedule();
  }

  /**
   * Writes what waits, and stores nothing from then on. Completes when it is written, or after some
   * seconds; never fails.
   */
  public Future<?> stop() {
    Future<Void> last;
    synchronized (this) {
      vertx.cancelTimer(timer);
      timer = -1;
      stopped = true;
      // What came during a write that is under way is another one.
      last = writing == null ? write() : writing.transform(_ -> write());
    }
    return last.timeout(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(cause ->
            LOG.atWarn()
                .addKeyValue("configMap", key)
                .addKeyValue("lost", waiting())
                .addKeyValue("error", cause.toString())
                .log("finished operations and audit records were not stored before the stop"))
        .otherwiseEmpty();
  }

  // ---- reads ----

  /**
   * What the ConfigMap has.
   *
   * @param version its resource version; empty when there is none
   */
  private record Contents(String version, List<Entry> entries) {}

  /** Reads what the ConfigMap has; on a worker thread. The same list for the same version. */
  private Contents contents(V1ConfigMap map) {
    String now =
        map.getMetadata() == null
            ? ""
            : Objects.requireNonNullElse(map.getMetadata().getResourceVersion(), "");
    Contents last = read;
    return last.version().equals(now)
        ? last
        : new Contents(now, List.copyOf(HistoryFormat.entries(map.getData())));
  }

  @Override
  public synchronized Future<List<Entry>> read() {
    if (known && clock.nanos() - readAt < FRESH.toNanos()) {
      return Future.succeededFuture(read.entries());
    }
    Future<List<Entry>> running = reading;
    if (running == null) {
      Promise<List<Entry>> done = Promise.promise();
      running = done.future();
      reading = running;
      vertx
          .executeBlocking(
              () ->
                  contents(
                      kubernetes.resource(V1ConfigMap.class).get(key).orElseGet(V1ConfigMap::new)),
              false)
          .map(now -> take(Objects.requireNonNull(now)))
          .onComplete((entries, cause) -> {
            readEnded();
            done.complete(entries, cause);
          });
    }
    return running
        .timeout(READ_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .recover(cause ->
            Future.failedFuture(
                new IllegalStateException("ConfigMap " + key + ": " + cause.getMessage(), cause)));
  }

  private synchronized void readEnded() {
    reading = null;
  }

  private synchronized List<Entry> take(Contents now) {
    read = now;
    readAt = clock.nanos();
    known = true;
    return now.entries();
  }
}
