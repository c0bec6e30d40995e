// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.persist.ObjectsFile.Contents;
import dev.coxswain.apiserver.internal.persist.ObjectsFile.Kept;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the objects of a store in a directory; confined to the server's event loop, which never
 * waits for the disk.
 *
 * <p>All objects are written a second after a change, and when the server stops. With very many
 * objects the time between two writes is longer, so that a fifth of it at most goes into writing. A
 * write that fails is reported and tried again; until then the last one stays.
 */
public final class Persistence {
  private static final Logger LOG = LoggerFactory.getLogger(Persistence.class);
  private static final String DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";
  private static final long PAUSE_MILLIS = 1_000;
  private static final int PAUSES_PER_WRITE = 4;

  /** Versions that a server has shown and not kept before it died are never used again. */
  private static final long VERSION_GAP = 1_000_000;

  private final Vertx vertx;
  private final Context context;
  private final Path folder;
  private final ObjectStore store;
  private final ObjectsFile file;
  private Contents contents;
  private Future<?> writing = Future.succeededFuture();
  private long pause = PAUSE_MILLIS;
  private long timer = -1;
  private boolean changed;
  private boolean failing;
  private boolean closing;

  private Persistence(
      Vertx vertx, Path folder, ObjectStore store, ObjectsFile file, Contents contents) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.folder = folder;
    this.store = store;
    this.file = file;
    this.contents = contents;
  }

  /**
   * Opens a directory and reads what is in it; must be closed.
   *
   * @param store where the objects are going to be
   * @return fails with an {@link IOException} when the directory cannot be used
   */
  public static Future<Persistence> open(Vertx vertx, Path folder, ObjectStore store) {
    return vertx
        .executeBlocking(() -> {
          ObjectsFile file = ObjectsFile.open(folder);
          try {
            return Map.entry(file, file.read());
          } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
          }
        })
        .map(read -> Objects.requireNonNull(read))
        .map(read -> new Persistence(vertx, folder, store, read.getKey(), read.getValue()));
  }

  /**
   * Adds the objects that were read to the store.
   *
   * @param serve makes a definition a resource, unless it must not be served
   * @return how many objects came back
   */
  public int restore(ResourceRegistry registry, Consumer<ObjectNode> serve) {
    Contents read = contents;
    contents = new Contents(0, List.of()); // not needed twice
    if (read.version() == 0) {
      return 0;
    }
    for (Kept object : read.objects()) {
      if (object.storage().equals(DEFINITIONS)) {
        serve.accept(StoredObject.bareTree(object.body()));
      }
    }
    Map<String, Integer> unknown = new TreeMap<>();
    int restored = 0;
    for (Kept object : read.objects()) {
      int slash = object.storage().indexOf('/');
      ResourceType type =
          registry.type(
              object.storage().substring(0, slash), object.storage().substring(slash + 1));
      if (type == null) {
        unknown.merge(object.storage(), 1, Integer::sum);
      } else {
        store.restore(store.collection(type), StoredObject.bareTree(object.body()));
        restored++;
      }
    }
    unknown.forEach((storage, count) ->
        LOG.atWarn()
            .addKeyValue("resource", storage)
            .addKeyValue("objects", count)
            .log("objects of a resource that does not exist are left out"));
    store.resumeAfter(read.version() + VERSION_GAP);
    return restored;
  }

  /**
   * Writes the objects, which shows that the directory takes them and keeps the versions of this
   * server apart from those of the next one; then again after every change.
   */
  public Future<?> begin() {
    store.onChange((collection, change) -> changed());
    return write()
        .recover(e ->
            Future.failedFuture(
                new IOException("data directory " + folder + " cannot be written: " + e, e)));
  }

  private void changed() {
    changed = true;
    if (timer < 0 && writing.isComplete() && !closing) {
      timer =
          vertx.setTimer(
              pause,
              id -> {
                timer = -1;
                write();
              });
    }
  }

  private Future<?> write() {
    changed = false;
    // objects are immutable, so references are a consistent picture
    List<Kept> now = new ArrayList<>();
    for (ObjectCollection collection : store.collections()) {
      for (StoredObject object : collection.range("").values()) {
        now.add(new Kept(collection.storage(), object.body()));
      }
    }
    Contents written = new Contents(store.version(), now);
    writing =
        context
            .executeBlocking(
                () -> {
                  long begin = System.nanoTime();
                  file.write(written);
                  return (System.nanoTime() - begin) / 1_000_000;
                },
                true)
            .onSuccess(millis ->
                pause = Math.max(PAUSE_MILLIS, PAUSES_PER_WRITE * Objects.requireNonNull(millis)))
            .onFailure(this::report)
            .onSuccess(millis -> failing = false);
    return writing.onComplete(done -> {
      if (changed || done.failed()) {
        changed();
      }
    });
  }

  /** Once, and not at every try. */
  private void report(Throwable cause) {
    if (!failing || closing) {
      LOG.atError()
          .addKeyValue("folder", folder)
          .setCause(cause)
          .log("objects cannot be written to the data directory, the last written ones stay there");
    }
    failing = true;
  }

  /** Writes pending changes and unlocks the directory. */
  public Future<?> close() {
    closing = true;
    vertx.cancelTimer(timer);
    return writing
        .transform(done -> changed ? write() : Future.succeededFuture())
        .eventually(() ->
            context.executeBlocking(() -> {
              file.close();
              return true;
            }));
  }
}
