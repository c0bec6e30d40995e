// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.conversion.Conversions;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of one watch whose objects a webhook converts, in their order: one call at a time, for
 * all events that wait. Confined to the server's event loop.
 */
final class ConvertedEvents {
  private static final int BATCH = 100;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Waiting(String type, @Nullable StoredObject object, byte @Nullable [] printed) {}

  private final Conversions conversions;
  private final ServedResource resource;
  private final BiConsumer<String, ObjectNode> converted;
  private final Consumer<byte[]> printed;
  private final Consumer<Throwable> failed;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private boolean calling;
  private boolean closed;

  /**
   * Creates an empty queue.
   *
   * @param converted receives the type of an event and its object
   * @param printed receives what was added as bytes
   * @param failed called once when a conversion fails; nothing follows
   */
  ConvertedEvents(
      Conversions conversions,
      ServedResource resource,
      BiConsumer<String, ObjectNode> converted,
      Consumer<byte[]> printed,
      Consumer<Throwable> failed) {
    this.conversions = conversions;
    this.resource = resource;
    this.converted = converted;
    this.printed = printed;
    this.failed = failed;
  }

  int size() {
    return waiting.size();
  }

  void add(String type, StoredObject object) {
    if (!closed) {
      waiting.addLast(new Waiting(type, object, null));
      call();
    }
  }

  /** Adds bytes that follow the events before them. */
  void add(byte[] bytes) {
    if (!closed) {
      waiting.addLast(new Waiting("", null, bytes));
      call();
    }
  }

  void close() {
    closed = true;
    waiting.clear();
  }

  private void call() {
    if (calling || closed) {
      return;
    }
    List<ObjectNode> objects = new ArrayList<>();
    ResourceType.Conversion conversion = resource.type().conversion();
    for (Waiting one : waiting) {
      if (one.object() == null || conversion == null || objects.size() == BATCH) {
        break;
      }
      objects.add(one.object().tree(resource.type(), conversion.stored()));
    }
    if (objects.isEmpty()) {
      passPrinted();
      return;
    }
    calling = true;
    conversions
        .convert(resource.type(), objects, resource.version(), false)
        .onSuccess(this::pass)
        .onFailure(e -> {
          boolean open = !closed;
          close();
          if (open) {
            failed.accept(e);
          }
        });
  }

  private void pass(List<ObjectNode> objects) {
    calling = false;
    for (ObjectNode object : objects) {
      Waiting one = waiting.pollFirst();
      if (one == null) {
        return; // closed
      }
      converted.accept(one.type(), object);
    }
    call();
  }

  private void passPrinted() {
    Waiting first = waiting.peekFirst();
    while (first != null && first.printed() != null) {
      waiting.removeFirst();
      printed.accept(first.printed());
      first = waiting.peekFirst();
    }
    if (first != null) {
      call();
    }
  }
}
