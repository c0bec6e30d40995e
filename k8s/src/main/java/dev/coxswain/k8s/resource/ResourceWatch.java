// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonParseException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.json.ReceivedEvent;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open watch, see {@link Resource#watch}. Controllers use a {@link
 * dev.coxswain.k8s.source.KindSource}, which reconnects and has a cache; a watch is for waiting until
 * something happens.
 *
 * <p>Thread rule: {@link #next} on one thread that may block; {@link #close} on any thread.
 *
 * @param <T> the class of the objects
 */
public final class ResourceWatch<T extends KubernetesObject> implements AutoCloseable {

  private final WatchStream stream;
  private final ObjectCodec<T> codec;

  /** Read by another thread than that of next(), if at all. */
  private volatile String resourceVersion;

  ResourceWatch(WatchStream stream, ObjectCodec<T> codec, String resourceVersion) {
    this.stream = stream;
    this.codec = codec;
    this.resourceVersion = resourceVersion;
  }

  /** The kinds of events. */
  public enum Kind {
    /** The object was created, or has come into the selection, or existed when the watch began. */
    ADDED,
    /** The object has changed. */
    MODIFIED,
    /** The object is gone, or has left the selection. */
    DELETED
  }

  /**
   * An event.
   *
   * @param kind its kind
   * @param object the object; its last state when it is gone
   */
  public record Event<T extends KubernetesObject>(Kind kind, T object) {}

  /**
   * Waits for the next event.
   *
   * @return empty when the server has ended the watch, as it does after some minutes: a new one
   *     continues from {@link #resourceVersion}
   * @throws ApiStatusException when the version is too old ({@link ApiStatusException#isExpired}),
   *     the connection is lost or idle for too long, or an event is none of this class
   */
  public Optional<Event<T>> next() {
    try {
      while (true) {
        ReceivedEvent event = stream.next();
        if (event == null) {
          return Optional.empty();
        }
        if (event.type().equals("ERROR")) {
          throw ApiStatusException.ofWatchError(event.object().tree());
        }
        event.object().readWhole(); // one that was cut has not been received
        resourceVersion = event.object().resourceVersion();
        if (!event.type().equals("BOOKMARK")) {
          return Optional.of(new Event<>(kind(event), codec.decodeItem(event.object().tree())));
        }
      }
    } catch (IOException | JsonParseException e) {
      throw failure("the watch ended: " + UserCode.text(e), e);
    }
  }

  private static Kind kind(ReceivedEvent event) {
    for (Kind kind : Kind.values()) {
      if (kind.name().equals(event.type())) {
        return kind;
      }
    }
    throw failure("the watch sent an event of the unknown type \"" + event.type() + "\"", null);
  }

  private static ApiStatusException failure(String message, @Nullable Throwable cause) {
    return new ApiStatusException(ApiStatusException.NO_ANSWER, "", message, null, cause);
  }

  /** Returns the version up to which changes have been received. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** Ends the watch; a waiting {@link #next} fails. */
  @Override
  public void close() {
    stream.close();
  }
}
