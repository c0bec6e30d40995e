// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.Change;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes every change to a directory before it is acknowledged; confined to the server's event
 * loop, which never waits for the disk.
 *
 * <p>The changes of a turn of the event loop, and those that happen while a batch is being written,
 * make up a batch. A batch is handed to the operating system before its writes are acknowledged, so
 * that nothing acknowledged is lost when the process dies; once a second it is brought to the disk,
 * so that a machine that dies loses a second at most. Nobody waits for that: it happens beside the
 * batches. After a failed write nothing more is accepted. What waits is bounded by the connections,
 * each of which waits for its own write.
 */
public final class Persistence {
  private static final Logger LOG = LoggerFactory.getLogger(Persistence.class);
  private static final String DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";
  private static final int SYNC_MILLIS = 1_000;

  /** Versions that a server which died may have shown without keeping them are never used again. */
  private static final long VERSION_GAP = 1_000_000;

  private final Vertx vertx;
  private final Context context;
  private final Path folder;
  private final long smallestLog;
  private final DataDirectory directory;
  private @Nullable Contents contents;
  private @Nullable ObjectStore store;
  private List<Entry> pending = new ArrayList<>();

  /** Told when {@link #pending} is kept. */
  private List<Runnable> waiting = new ArrayList<>();

  /** Told when the batch on its way is kept. */
  private List<Runnable> waitingForBatch = new ArrayList<>();

  private long logSize;
  private long snapshotSize;
  private boolean busy;
  private boolean gathering;
  private boolean snapshotting;
  private boolean syncing;
  private boolean unsynced;
  private long timer = -1;
  private @Nullable String failure;
  private @Nullable Promise<Void> closing;

  private Persistence(
      Vertx vertx, Context context, Path folder, long smallestLog, DataDirectory directory) {
    this.vertx = vertx;
    this.context = context;
    this.folder = folder;
    this.smallestLog = smallestLog;
    this.directory = directory;
  }

  /**
   * Opens a directory and reads what is in it; must be closed.
   *
   * @param smallestLog bytes of log from which on it is worth starting over with a snapshot
   * @return fails with a {@link DataDirectoryException} when the directory cannot be used
   */
  public static Future<Persistence> open(
      Vertx vertx, Context context, Path folder, long smallestLog) {
    return context
        .executeBlocking(
            () -> {
              DataDirectory directory = DataDirectory.open(folder);
              Persistence made = new Persistence(vertx, context, folder, smallestLog, directory);
              try {
                made.contents = directory.load();
                made.logSize = directory.journalSize();
                made.snapshotSize = directory.snapshotSize();
                return made;
              } catch (IOException e) {
                directory.close();
                throw DataDirectory.unusable(folder, e);
              } catch (RuntimeException e) {
                directory.close();
                throw e;
              }
            },
            true)
        .map(opened -> Objects.requireNonNull(opened));
  }

  /** How a definition becomes a resource. */
  public interface Definitions {
    /** Serves what a definition describes, unless it must not be served. */
    void serve(ObjectNode definition);
  }

  /**
   * Puts what was read into an empty store, and keeps what changes in it from now on.
   *
   * @return how many objects came back
   */
  public int restore(ResourceRegistry registry, ObjectStore into, Definitions definitions) {
    store = into;
    Contents read = contents;
    contents = null; // not needed twice
    int restored = 0;
    if (read != null && read.version() > 0) {
      restored = restore(registry, into, definitions, read);
    }
    into.onChange(this::changed);
    timer = vertx.setPeriodic(SYNC_MILLIS, id -> sync());
    return restored;
  }

  private int restore(
      ResourceRegistry registry, ObjectStore into, Definitions definitions, Contents read) {
    List<Entry> entries = read.entries();
    for (Entry entry : entries) {
      if (entry.storage().equals(DEFINITIONS)) {
        definitions.serve(Json.parseOwn(entry.object()));
      }
    }
    Map<String, Integer> unknown = new TreeMap<>();
    int restored = 0;
    for (Entry entry : entries) {
      int slash = entry.storage().indexOf('/');
      ResourceType type =
          registry.type(entry.storage().substring(0, slash), entry.storage().substring(slash + 1));
      if (type == null) {
        unknown.merge(entry.storage(), 1, Integer::sum);
      } else {
        into.restore(into.collection(type), Json.parseOwn(entry.object()), entry.version());
        restored++;
      }
    }
    unknown.forEach((storage, count) ->
        LOG.atWarn()
            .addKeyValue("resource", storage)
            .addKeyValue("objects", count)
            .log("objects of a resource that does not exist are left out"));
    into.resumeAfter(read.version() + VERSION_GAP);
    return restored;
  }

  private void changed(ObjectCollection collection, Change change) {
    if (failure != null) {
      return; // nothing is acknowledged any more
    }
    StoredObject object = change.current();
    pending.add(
        change.deleted()
            ? new Entry(change.version(), collection.storage(), object.key(), new byte[0])
            : entry(collection, object));
    if (!gathering && !busy) {
      gathering = true;
      // behind the other requests of this turn: they share a batch
      context.runOnContext(v -> {
        gathering = false;
        next();
      });
    }
  }

  private static Entry entry(ObjectCollection collection, StoredObject object) {
    byte[] body = object.body();
    byte[] json = new byte[body.length + 1];
    json[0] = '{';
    System.arraycopy(body, 0, json, 1, body.length);
    return new Entry(object.version(), collection.storage(), object.key(), json);
  }

  /** Why nothing can be kept any more, null = all is well. */
  public @Nullable String failure() {
    return failure;
  }

  /** Runs work when every change so far is kept, or when it is known that it cannot be. */
  public void afterWrites(Runnable work) {
    if (failure == null && !pending.isEmpty()) {
      waiting.add(work);
    } else if (failure == null && busy) {
      waitingForBatch.add(work);
    } else {
      work.run();
    }
  }

  /** Writes the next batch, unless one is on its way. */
  private void next() {
    if (busy || failure != null) {
      return;
    }
    ObjectStore from = store;
    boolean large = logSize > Math.max(smallestLog, 2 * snapshotSize);
    if (large && !snapshotting && closing == null && from != null) {
      startOver(from);
      return;
    }
    if (pending.isEmpty()) {
      Promise<Void> promise = closing;
      if (promise != null && !snapshotting && !syncing) {
        promise.tryComplete();
      }
      return;
    }
    List<Entry> batch = pending;
    List<Runnable> told = waiting;
    pending = new ArrayList<>();
    waiting = new ArrayList<>();
    unsynced = true;
    write(
        () -> {
          directory.append(batch);
          return directory.journalSize();
        },
        told);
  }

  /** Does something on the disk, then tells those who waited for it and goes on. */
  private void write(Callable<Long> work, List<Runnable> told) {
    busy = true;
    waitingForBatch = new ArrayList<>(told);
    context
        .executeBlocking(work, true)
        .onComplete(done -> {
          busy = false;
          if (done.succeeded()) {
            logSize = Objects.requireNonNull(done.result());
          } else {
            fail(done.cause());
          }
          List<Runnable> kept = waitingForBatch;
          waitingForBatch = new ArrayList<>();
          // each in a turn of its own, so that one that fails keeps nobody else waiting
          kept.forEach(waiter -> context.runOnContext(v -> waiter.run()));
          next();
        });
  }

  private void sync() {
    if (unsynced && !syncing && failure == null && closing == null) {
      unsynced = false;
      syncing = true;
      context
          .executeBlocking(
              () -> {
                directory.sync();
                return true;
              },
              false) // beside the batches, which nobody who waits for one has to wait for
          .onComplete(done -> {
            syncing = false;
            if (done.failed()) {
              fail(done.cause());
            }
            next();
          });
    }
  }

  private void fail(Throwable cause) {
    if (failure == null) {
      failure = "data directory " + folder + " cannot be written: " + cause.getMessage();
      LOG.atError()
          .addKeyValue("folder", folder)
          .setCause(cause)
          .log("cannot keep objects any more, writes are refused");
      pending.clear();
      List<Runnable> told = waiting;
      waiting = new ArrayList<>();
      told.forEach(Runnable::run);
    }
    Promise<Void> promise = closing;
    if (promise != null) {
      promise.tryComplete();
    }
  }

  /** Begins a new log and, beside it, writes a snapshot of what exists now. */
  private void startOver(ObjectStore from) {
    snapshotting = true;
    // objects are immutable, so references are a consistent picture
    List<Kept> now = new ArrayList<>();
    for (ObjectCollection collection : from.collections()) {
      collection.range("").values().forEach(object -> now.add(new Kept(collection, object)));
    }
    write(
        () -> {
          directory.roll();
          return directory.journalSize();
        },
        List.of(() -> snapshot(now)));
  }

  private record Kept(ObjectCollection collection, StoredObject object) {}

  private void snapshot(List<Kept> now) {
    if (failure != null) {
      return;
    }
    context
        .executeBlocking(
            () -> {
              Iterator<Entry> entries =
                  now.stream().map(k -> entry(k.collection(), k.object())).iterator();
              directory.snapshot(() -> entries);
              return directory.snapshotSize();
            },
            false) // beside the log, which goes on
        .onComplete(done -> {
          snapshotting = false;
          if (done.succeeded()) {
            snapshotSize = Objects.requireNonNull(done.result());
          } else {
            fail(done.cause());
          }
          next();
        });
  }

  /** Writes what is pending and gives the directory back. */
  public Future<?> close() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    Promise<Void> promise = Promise.promise();
    closing = promise;
    if (failure != null) {
      promise.tryComplete();
    }
    next();
    return promise
        .future()
        .compose(done ->
            context.executeBlocking(
                () -> {
                  directory.close();
                  return true;
                },
                true));
  }
}
