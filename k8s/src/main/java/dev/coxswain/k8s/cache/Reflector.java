// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.reconcile.Request;
import dev.coxswain.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one {@link SharedCache} equal to the API server: lists everything, then follows a watch.
 *
 * <p>Thread rule: {@link #run} on one virtual thread; {@link #stop} from any.
 *
 * <h2>Resuming and relisting</h2>
 *
 * A watch that ends, for whatever reason, is opened again from the last resource version that was
 * seen, bookmarks included. Only when the server no longer knows that version (410 as an answer or
 * as an event, or a version from the future after a restore) everything is listed again, and the
 * cache works out the differences.
 *
 * <h2>Waiting</h2>
 *
 * A watch that has lived and ends normally, or was silent for too long, is opened again at once.
 * Everything else waits: a failure, a watch that ends at once with nothing new, a server that asks
 * for patience. A resource that is not installed is looked for at a steady pace; what the cache
 * holds is kept meanwhile, since an API server that is starting up also answers 404.
 */
final class Reflector<T extends KubernetesObject> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Reflector.class);
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(5);

  private final ApiTransport transport;
  private final SharedCache<T> cache;
  private final CacheOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private final ReconnectBackoff backoff;
  private final String path;
  private final CountDownLatch stop = new CountDownLatch(1);

  /** The version to watch from; empty when everything must be listed. */
  private String version = "";

  private int expiredInARow;

  /** The version after which the last unreadable event came. */
  private String unreadableAfter = "";

  /** Read by {@link #stop} on another thread to end a waiting read. */
  private volatile @Nullable Thread thread;

  Reflector(
      ApiTransport transport,
      SharedCache<T> cache,
      CacheOptions options,
      Clock clock,
      RandomGenerator random) {
    this.transport = transport;
    this.cache = cache;
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.backoff = new ReconnectBackoff(options, clock, random);
    this.path = cache.key().type().path(cache.key().namespace());
  }

  void stop() {
    stop.countDown();
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      while (stop.getCount() > 0) {
        Duration pause = step();
        if (!pause.isZero() && stop.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cache.stopped();
    }
  }

  /** Lists or watches once and returns how long to wait before the next step. */
  private Duration step() {
    try {
      if (version.isEmpty()) {
        list();
      }
      return watch();
    } catch (ApiStatusException e) {
      return afterRefusal(e);
    } catch (SocketTimeoutException e) {
      log.atDebug()
          .addKeyValue("cache", cache.key())
          .log("watch was silent for too long, opening it again");
      return Duration.ZERO;
    } catch (ProtocolException e) {
      // Cut inside an event: resume. At the same place again: there is no way past it but a list.
      if (version.equals(unreadableAfter)) {
        version = "";
      }
      unreadableAfter = version;
      return afterFailure(e);
    } catch (IOException e) {
      return afterFailure(e);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      // A fault of ours must not end the cache for good; a fresh list is the safe way on.
      version = "";
      log.atError().addKeyValue("cache", cache.key()).setCause(e).log("reflector failed");
      return afterFailure(e);
    }
  }

  private void list() {
    cache.phase(CacheStatus.Phase.LISTING);
    Map<Request, Entry> found = new HashMap<>();
    Set<Request> unreadable = new HashSet<>();
    cache.progress().listBegins();
    String listed = transport.list(path, selectors(), item -> takeListed(item, found, unreadable));
    cache.replace(found, unreadable);
    version = listed;
    cache.progress().listed(listed);
  }

  private void takeListed(JsonElement item, Map<Request, Entry> found, Set<Request> unreadable) {
    try {
      Entry.Keyed keyed = Entry.of(item, cache.key().type());
      found.put(keyed.key(), keyed.entry());
    } catch (JsonParseException e) {
      Request key = reportUndecodable(item, e);
      if (key != null) {
        unreadable.add(key);
      }
    }
  }

  private Duration watch() throws IOException {
    String from = version;
    long begun = clock.nanos();
    try (WatchStream stream = transport.watch(path, watchQuery())) {
      cache.watching();
      WatchStream.Event event = stream.next();
      while (event != null && stop.getCount() > 0) {
        take(event);
        event = stream.next();
      }
    }
    boolean progress = !version.equals(from);
    if (progress || clock.nanos() - begun >= options.shortWatch().toNanos()) {
      return Duration.ZERO;
    }
    return afterFailure(new IOException("the watch ended at once with nothing new"));
  }

  private void take(WatchStream.Event event) {
    cache.heard();
    switch (event.type()) {
      case "ADDED", "MODIFIED" -> {
        upsert(event.object());
        advance(event.object());
      }
      case "DELETED" -> {
        remove(event.object());
        advance(event.object());
      }
      case "BOOKMARK" -> advance(event.object());
      case "ERROR" -> throw refusal(event.object());
      default ->
          log.atWarn()
              .addKeyValue("cache", cache.key())
              .addKeyValue("type", event.type())
              .log("watch event of unknown type skipped");
    }
  }

  private void upsert(JsonObject object) {
    try {
      Entry.Keyed keyed = Entry.of(object, cache.key().type());
      cache.put(keyed.key(), keyed.entry());
    } catch (JsonParseException e) {
      reportUndecodable(object, e);
    }
  }

  private void remove(JsonObject object) {
    try {
      Entry.Keyed keyed = Entry.of(object, cache.key().type());
      cache.remove(keyed.key(), keyed.entry());
    } catch (JsonParseException e) {
      Request key = reportUndecodable(object, e);
      if (key != null) {
        cache.remove(key, null);
      }
    }
  }

  private void advance(JsonObject object) {
    String seen = Entry.resourceVersionOf(object);
    if (!seen.isEmpty()) {
      version = seen;
      cache.progress().watched(seen);
      expiredInARow = 0;
    }
  }

  private @Nullable Request reportUndecodable(JsonElement item, JsonParseException cause) {
    Request key = null;
    try {
      key = Entry.keyOf(item);
    } catch (JsonParseException e) {
      cause.addSuppressed(e);
    }
    cache.undecodable();
    log.atWarn()
        .addKeyValue("cache", cache.key())
        .addKeyValue("key", key == null ? "unknown" : key)
        .addKeyValue("problem", cause.getMessage())
        .log("object does not fit its class and is skipped");
    return key;
  }

  private static ApiStatusException refusal(JsonObject status) {
    JsonElement code = status.get("code");
    JsonElement reason = status.get("reason");
    JsonElement message = status.get("message");
    return new ApiStatusException(
        code != null && code.isJsonPrimitive() ? code.getAsInt() : 500,
        reason != null && reason.isJsonPrimitive() ? reason.getAsString() : "",
        "the watch was ended by the server: "
            + (message != null && message.isJsonPrimitive() ? message.getAsString() : status),
        null,
        null);
  }

  private Duration afterRefusal(ApiStatusException e) {
    if (e.isExpired() || isVersionFromTheFuture(e)) {
      version = "";
      log.atDebug()
          .addKeyValue("cache", cache.key())
          .addKeyValue("problem", e.getMessage())
          .log("resource version is no longer known, listing again");
      // Once is routine. A server that forgets what it has just said must not be listed in a loop.
      return expiredInARow++ == 0 ? Duration.ZERO : afterFailure(e);
    }
    if (e.isNotFound()) {
      version = "";
      cache.waitingForApi(e.getMessage());
      return options.absentApiWait();
    }
    Duration wait = afterFailure(e);
    Duration asked = e.delay();
    if (asked.compareTo(LONGEST_RETRY_AFTER) > 0) {
      asked = LONGEST_RETRY_AFTER;
    }
    return asked.compareTo(wait) > 0 ? asked : wait;
  }

  private static boolean isVersionFromTheFuture(ApiStatusException e) {
    String message = e.getMessage();
    return e.code() == 504 && message != null && message.contains("Too large resource version");
  }

  private Duration afterFailure(Throwable e) {
    if (stop.getCount() == 0) {
      return Duration.ZERO;
    }
    Duration wait = backoff.next();
    cache.failed(e, wait);
    return wait;
  }

  private Map<String, String> selectors() {
    Map<String, String> query = new HashMap<>();
    if (!cache.key().labelSelector().isEmpty()) {
      query.put("labelSelector", cache.key().labelSelector());
    }
    if (!cache.key().fieldSelector().isEmpty()) {
      query.put("fieldSelector", cache.key().fieldSelector());
    }
    return query;
  }

  private Map<String, String> watchQuery() {
    Map<String, String> query = selectors();
    query.put("resourceVersion", version);
    query.put("allowWatchBookmarks", "true");
    long least = options.watchTimeout().toSeconds();
    query.put("timeoutSeconds", Long.toString(least + random.nextLong(least + 1)));
    return query;
  }
}
