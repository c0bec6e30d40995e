// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import com.google.gson.JsonParseException;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.cache.Query;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.selection.SelectedWatch;
import dev.coxswain.k8s.internal.slots.NamespaceLists;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one {@link Informer} equal to the API server: lists all objects, then follows a watch.
 *
 * <p>Thread rule: {@link #run} on one platform thread; {@link #stop} from any.
 *
 * <h2>Listing</h2>
 *
 * The list is requested as the first events of a watch, which spares the server from building it.
 * From a server without that feature it is read in pages; see {@link StreamedLists}. With slots by
 * namespace, and some of them, the namespaces of these slots are listed instead; see {@link
 * NamespaceLists}.
 *
 * <h2>Resuming and relisting</h2>
 *
 * A watch that ends, for any reason, is reopened from the last resource version that was received,
 * bookmarks included. Only when the server no longer has that version (410 as a status or as an
 * event, or a version from the future after a restore), or refuses to go on from it, all objects are
 * listed again, and the informer computes the differences.
 *
 * <h2>Waiting</h2>
 *
 * A watch that has lived and ends normally, or was idle for too long, is reopened at once.
 * Otherwise there is a pause: after a failure, after a watch that ends at once without events,
 * after a status with {@code Retry-After}. A resource that is not installed is polled at a steady
 * rate; the cache keeps its objects meanwhile, since an API server that is starting also returns
 * 404.
 *
 * <p>The pause after a failure ends early after an outage, see {@link ReconnectBackoff}.
 */
final class Reflector<T extends KubernetesObject> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Reflector.class);
  private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(5);
  private static final int UNAVAILABLE = 503;

  private final ApiTransport transport;
  private final NamespaceLists namespaces;
  private final Informer<T> cache;
  private final ReflectorStatus status;
  private final CacheOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private final ReconnectBackoff backoff;
  private final WatchEventHandler<T> handler;
  private final StreamedLists streamedLists;
  private final SelectedWatch<T> watches;
  private final CountDownLatch stop = new CountDownLatch(1);

  /** The version to watch from; empty when a list is needed. */
  private String version = "";

  private int expiredInARow;

  private final ReconnectBackoff.RefusedVersion refused;

  /** The version after which the last unreadable event was received. */
  private String unreadableAfter = "";

  /** Set by {@link #relist}. */
  private volatile boolean relist;

  /** Read by {@link #stop} on another thread to end a pause. */
  private volatile @Nullable Thread thread;

  Reflector(
      ApiTransport transport,
      NamespaceLists namespaces,
      Informer<T> cache,
      CacheOptions options,
      Clock clock,
      RandomGenerator random) {
    this.transport = transport.cancellable();
    this.namespaces = namespaces;
    this.cache = cache;
    this.status = cache.reflector();
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.backoff =
        new ReconnectBackoff(options, clock, random, transport::answers, transport::probe);
    this.refused = new ReconnectBackoff.RefusedVersion(clock);
    this.handler = new WatchEventHandler<>(cache);
    this.streamedLists = new StreamedLists(transport.options().streamedLists());
    this.watches = cache.watch();
  }

  void stop() {
    stop.countDown();
    transport.cancel();
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Ends the watch and lists all objects again. */
  void relist() {
    relist = true;
    watches.close();
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      if (!isStopped()) {
        awaitFirstSlots(); // stop() has interrupted nothing when it came before this thread
      }
      while (!isStopped()) {
        pause(supervisedStep());
      }
    } finally {
      status.stopped();
    }
  }

  /**
   * A host that starts knows its slots a moment after its controllers run. A list before that would
   * contain none of their objects.
   */
  private void awaitFirstSlots() {
    try {
      cache.awaitFirstSlots(options.firstSlotsWait());
    } catch (InterruptedException e) {
      settleInterrupt();
    }
  }

  private boolean isStopped() {
    return stop.getCount() == 0;
  }

  /** Runs one step; only {@link #stop} ends the reflector, whatever a step throws. */
  private Duration supervisedStep() {
    try {
      return step();
    } catch (Throwable e) {
      // While handling a failure, for want of memory for instance.
      version = "";
      return options.maxBackoff();
    } finally {
      settleInterrupt();
    }
  }

  private void pause(Duration pause) {
    try {
      if (!pause.isZero()) {
        backoff.await(pause, stop);
      }
    } catch (InterruptedException e) {
      settleInterrupt();
    }
  }

  /**
   * Clears an interrupt that user code has left, and keeps that of {@link #stop}, which counts down
   * before it interrupts.
   */
  private void settleInterrupt() {
    if (Thread.interrupted() && !isStopped()) {
      cache.userCode().leftInterrupted("transform or index", null);
    }
    if (isStopped()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lists or watches once and returns how long to wait before the next step. */
  private Duration step() {
    backoff.whole();
    if (relist) {
      relist = false;
      version = "";
    }
    try {
      if (version.isEmpty()) {
        status.listing();
        cache.listBegins();
        if (!listsNamespaces() || !listNamespaces()) {
          if (streamedLists.next()) {
            return listStreamed();
          }
          listPages();
        }
      }
      return watch();
    } catch (ApiStatusException e) {
      return afterRefusal(e);
    } catch (SocketTimeoutException e) {
      log.atDebug().addKeyValue("cache", cache.key()).log("watch idle for too long, reopening");
      return Duration.ZERO;
    } catch (ProtocolException | JsonParseException e) {
      if (watches.isReselecting()) {
        return Duration.ZERO;
      }
      // A truncated event: resume. At the same place again: only a list gets past it.
      if (version.equals(unreadableAfter)) {
        version = "";
      }
      unreadableAfter = version;
      return afterFailure(e);
    } catch (IOException e) {
      return relist || watches.isReselecting() ? Duration.ZERO : afterFailure(e);
    } catch (Throwable e) {
      // An internal failure must not end the informer; a new list is the safe recovery.
      version = "";
      cache.userCode().failed("reflector failed, relisting after a pause", null, e);
      return afterFailure(e);
    } finally {
      watches.ended();
    }
  }

  /**
   * Lists all objects as a stream and continues with the watch; returns at once when pages must be
   * used instead.
   */
  private Duration listStreamed() throws IOException {
    long begun = clock.nanos();
    long limit = transport.options().listTimeout().toNanos();
    Map<String, String> query = Query.streamedList(cache.key(), watchSeconds());
    try (WatchStream stream = watches.open(transport, query, true)) {
      stream.limit(Duration.ofNanos(limit));
      if (!readInitialEvents(stream)) {
        streamedLists.broken();
        return afterFailure(new IOException("the streamed list was cut before its end"));
      }
      stream.unlimit();
      status.watching();
      return follow(stream, begun, "");
    } catch (ApiStatusException e) {
      if (version.isEmpty() && StreamedLists.isRefusal(e)) {
        return inPagesFromNowOn(e);
      }
      throw e;
    } catch (InterruptedIOException e) {
      if (version.isEmpty() && clock.nanos() - begun >= limit) {
        return inPagesFromNowOn(e);
      }
      throw e;
    } finally {
      if (version.isEmpty()) {
        streamedLists.broken();
      }
    }
  }

  private boolean readInitialEvents(WatchStream stream) throws IOException {
    Snapshot snapshot = new Snapshot();
    ReceivedEvent event = stream.next();
    while (event != null && !isStopped()) {
      String end = handler.streamed(event, snapshot);
      settleInterrupt();
      if (end != null) {
        listed(snapshot, end);
        return true;
      }
      event = stream.next();
    }
    return false;
  }

  private Duration inPagesFromNowOn(Exception cause) {
    log.atInfo()
        .addKeyValue("cache", cache.key())
        .addKeyValue("problem", cause.getMessage())
        .log("server does not support streaming lists, reading pages");
    streamedLists.unsupported();
    return Duration.ZERO;
  }

  /** When the version from before the last lists had expired at their end, a list of everything is shorter. */
  private boolean listsNamespaces() {
    return expiredInARow < 2;
  }

  /** Lists the namespaces of the slots that are kept; returns false when everything is to be read. */
  private boolean listNamespaces() {
    SnapshotReader<T> reader = reader();
    Optional<String> listed = reader.namespaces(namespaces);
    listed.ifPresent(seen -> listed(reader.snapshot(), seen));
    return listed.isPresent();
  }

  private void listPages() {
    SnapshotReader<T> reader = reader();
    String listed = reader.pages();
    listed(reader.snapshot(), listed);
  }

  private SnapshotReader<T> reader() {
    return new SnapshotReader<>(transport, cache, handler, this::settleInterrupt, this::pause);
  }

  private void listed(Snapshot snapshot, String seen) {
    cache.replace(snapshot);
    settleInterrupt();
    version = seen;
    watches.listed();
    cache.progress().listed(seen);
  }

  private Duration watch() throws IOException {
    String from = version;
    long begun = clock.nanos();
    Map<String, String> query = Query.watch(cache.key(), version, watchSeconds());
    try (WatchStream stream = watches.open(transport, query, false)) {
      status.watching();
      return follow(stream, begun, from);
    }
  }

  /** Follows a watch to its end. */
  private Duration follow(WatchStream stream, long begun, String from) throws IOException {
    ReceivedEvent event = stream.next();
    while (event != null && !isStopped()) {
      String seen = handler.watched(event);
      settleInterrupt();
      if (!seen.isEmpty()) {
        version = seen;
        cache.progress().watched(seen);
        expiredInARow = 0;
      }
      event = stream.next();
    }
    boolean progress = !version.equals(from);
    if (progress || clock.nanos() - begun >= options.shortWatch().toNanos()) {
      return Duration.ZERO;
    }
    return afterFailure(new IOException("the watch ended at once with nothing new"));
  }

  private Duration afterRefusal(ApiStatusException e) {
    if (e.isExpired() || e.isVersionTooLarge()) {
      version = "";
      log.atDebug()
          .addKeyValue("cache", cache.key())
          .addKeyValue("problem", e.getMessage())
          .log("resourceVersion expired, relisting");
      // Once is routine. A server that rejects its own latest version must not be listed in a loop.
      return expiredInARow++ == 0 ? Duration.ZERO : afterFailure(e);
    }
    if (e.isNotFound()) {
      version = "";
      status.waitingForApi(e.getMessage());
      Duration wait = backoff.absent();
      if (!backoff.isRecovering()) {
        cache.absent();
      }
      return wait;
    }
    if (refused.isForGood(version, e)) {
      log.atInfo()
          .addKeyValue("cache", cache.key())
          .addKeyValue("version", version)
          .addKeyValue("problem", e.getMessage())
          .log("watch refused from this resourceVersion, relisting");
      version = "";
    }
    Duration wait = afterFailure(e);
    Duration retryAfter = e.delay();
    if (retryAfter.isZero()) {
      return wait;
    }
    if (e.code() != UNAVAILABLE) {
      backoff.whole(); // the server, or a proxy, has named the time
    } else if (backoff.isRecovering()) {
      return wait.compareTo(retryAfter) < 0
          ? wait
          : retryAfter; // it names 5 s for its first moment
    }
    return retryAfter.compareTo(LONGEST_RETRY_AFTER) > 0 ? LONGEST_RETRY_AFTER : retryAfter;
  }

  private Duration afterFailure(Throwable e) {
    if (isStopped()) {
      return Duration.ZERO;
    }
    Duration wait = backoff.next();
    status.failed(e, wait);
    return wait;
  }

  private long watchSeconds() {
    long least = options.watchTimeout().toSeconds();
    return least + random.nextLong(least + 1);
  }
}
