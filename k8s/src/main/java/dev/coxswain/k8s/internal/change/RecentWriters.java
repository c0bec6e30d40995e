// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.change;

import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of this process that have written recently, by the version that each made, so that
 * an event can name the attempt that has caused it.
 *
 * <p>Thread rule: any thread.
 */
public final class RecentWriters {

  /** The most writes that are kept; their events usually come within milliseconds. */
  static final int LIMIT = 4096;

  /** A version of one object; a version alone may occur in several stores of an API server. */
  private record Version(Request key, String resourceVersion) {}

  /**
   * The attempt that has written a version.
   *
   * @param controller its controller
   * @param traceParent its trace, empty when it is not traced
   */
  public record Writer(String controller, String traceParent) {
    private static final Writer NONE = new Writer("", "");
  }

  private final Map<Version, Writer> writers = new LinkedHashMap<>(); // locked by itself
  private volatile boolean used;

  /** Creates one without writes. */
  public RecentWriters() {}

  /** Counts a write of the attempt of this thread, and records it as the writer of a version. */
  public void written(Request key, String resourceVersion) {
    Optional<ReconcileContext> attempt = CurrentAttempt.get();
    attempt.ifPresent(ReconcileContext::written);
    if (attempt.isEmpty() || resourceVersion.isEmpty()) {
      return;
    }
    Writer writer = new Writer(attempt.get().controller(), attempt.get().traceParent());
    used = true;
    synchronized (writers) {
      writers.put(new Version(key, resourceVersion), writer);
      if (writers.size() > LIMIT) {
        writers.remove(writers.keySet().iterator().next());
      }
    }
  }

  /**
   * Returns the writer of a version; one with empty fields when no attempt of this process made it,
   * or it has not received the response yet.
   */
  public Writer of(Request key, String resourceVersion) {
    if (!used) {
      return Writer.NONE;
    }
    @Nullable Writer writer;
    synchronized (writers) {
      writer = writers.get(new Version(key, resourceVersion));
    }
    return writer == null ? Writer.NONE : writer;
  }
}
