// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.LoadedObject;
import dev.coxswain.k8s.internal.slots.MappedObject;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies objects and events from the server to an informer, or to the snapshot of a list. Objects
 * are not decoded. One without metadata, or for which the transform throws, is reported, counted and
 * skipped. What is not JSON, unless it is of a foreign object, is thrown as {@link
 * com.google.gson.JsonParseException}: the watch was cut. A lack of memory is not caused by the
 * object: it is thrown, and leads to a new list.
 *
 * <p>Thread rule: confined to the thread of its reflector or loader.
 */
final class WatchEventHandler<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(WatchEventHandler.class);
  private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

  private final Informer<T> cache;
  private final SlotFilter filter;

  WatchEventHandler(Informer<T> cache) {
    this.cache = cache;
    this.filter = cache.filter();
  }

  /** Adds an object of a list, unless it is foreign. */
  void listed(ReceivedObject item, Snapshot snapshot) {
    cache.watch().listed(item);
    Request key = filter.hasSlots() ? keyOf(item) : null;
    if (key != null && !filter.covers(filter.map(key, item::metadata))) {
      snapshot.remove(key);
      return;
    }
    item.readWhole();
    Entry.Keyed read = read(item);
    if (read != null) {
      snapshot.put(read);
      return;
    }
    Request unread = keyOf(item);
    if (unread != null) {
      snapshot.unreadable(unread);
    }
  }

  /** Adds an object of a load, unless it is in no slot that is loaded. */
  void loaded(ReceivedObject item, SlotLoad load, List<LoadedObject> objects) {
    cache.watch().listed(item);
    Request key = keyOf(item);
    MappedObject mapped = key == null ? null : filter.map(key, item::metadata);
    if (mapped != null && filter.loads(load, mapped)) {
      Entry.Keyed read = read(item);
      if (read != null) {
        objects.add(new LoadedObject(mapped, read.entry()));
      } else {
        load.unreadable(mapped.key());
      }
    }
  }

  /**
   * Adds an event of a streamed list.
   *
   * @return the version to continue from at the end of the list, or null
   */
  @Nullable String streamed(ReceivedEvent event, Snapshot snapshot) {
    ReceivedObject object = event.object();
    switch (event.type()) {
      // The list may take so long that objects change meanwhile.
      case "ADDED", "MODIFIED" -> listed(object, snapshot);
      case "DELETED" -> {
        Request key = keyOf(object);
        if (key != null) {
          snapshot.remove(key);
        }
      }
      case "BOOKMARK" -> {
        if (endsInitialEvents(object)) {
          return object.resourceVersion();
        }
      }
      default -> other(event);
    }
    return null;
  }

  /**
   * Applies an event of a watch.
   *
   * @return the version to resume from, empty when the event has none
   */
  String watched(ReceivedEvent event) {
    cache.reflector().onContact();
    switch (event.type()) {
      case "ADDED", "MODIFIED" -> {
        cache.watch().received(event.object());
        upsert(event.object());
      }
      case "DELETED" -> {
        cache.watch().received(event.object());
        remove(event.object());
      }
      case "BOOKMARK" -> {}
      default -> {
        other(event);
        return "";
      }
    }
    return event.object().resourceVersion();
  }

  private void other(ReceivedEvent event) {
    if (event.type().equals("ERROR")) {
      throw ApiStatusException.ofWatchError(event.object().tree());
    }
    log.atWarn()
        .addKeyValue("cache", cache.key())
        .addKeyValue("type", event.type())
        .log("watch event of unknown type skipped");
  }

  private void upsert(ReceivedObject object) {
    MappedObject mapped = map(object);
    if (mapped != null && passesOver(mapped, object)) {
      return;
    }
    object.readWhole();
    Entry.Keyed read = read(object);
    if (read != null) {
      cache
          .updates()
          .put(mapped == null ? MappedObject.unmapped(read.key()) : mapped, read.entry());
    }
  }

  private void remove(ReceivedObject object) {
    MappedObject mapped = map(object);
    if (mapped == null) {
      return;
    }
    String version = object.resourceVersion();
    if (!passesOver(mapped, object)) {
      object.readWhole();
      Entry.Keyed read = read(object);
      cache.updates().remove(mapped, version, read == null ? null : read.entry());
    }
  }

  /** Returns the slots of an object, or null when its key cannot be read. */
  private @Nullable MappedObject map(ReceivedObject object) {
    Request key = keyOf(object);
    return key == null ? null : filter.map(key, object::metadata);
  }

  /** Passes over a foreign object, before it is decoded. */
  private boolean passesOver(MappedObject mapped, ReceivedObject object) {
    boolean passed =
        !filter.keeps(mapped) && cache.updates().passOver(mapped, object.resourceVersion());
    if (passed) {
      cache.watch().dropped(object);
    }
    return passed;
  }

  /**
   * Reads an object; null for one that is skipped and reported.
   *
   * @throws IllegalStateException when the virtual machine failed, for want of memory for instance
   */
  private Entry.@Nullable Keyed read(ReceivedObject item) {
    try {
      return Entry.of(item, cache.key());
    } catch (Throwable e) {
      if (UserCode.isOfTheMachine(e)) {
        // Not caused by the object: skipping it would leave its old state in the cache.
        throw new IllegalStateException("an object could not be read: " + UserCode.text(e), e);
      }
      cache.skipped(keyOf(item), e);
      return null;
    }
  }

  private static boolean endsInitialEvents(ReceivedObject bookmark) {
    return Json.text(bookmark.metadata().get("annotations"), INITIAL_EVENTS_END).equals("true");
  }

  private static @Nullable Request keyOf(ReceivedObject item) {
    return item.name().isEmpty() ? null : Entry.keyOf(item);
  }
}
