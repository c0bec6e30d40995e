// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The traces of recent writes of this process, by the version that each made, so that an attempt
 * which its event causes can link to the attempt that wrote. Empty while attempts are not traced.
 *
 * <p>Thread rule: any thread.
 */
public final class WriteTraces {

  /** The most writes that are kept; their events usually come within milliseconds. */
  static final int LIMIT = 4096;

  /** A version of one object; a version alone may occur in several stores of an API server. */
  private record Version(Request key, String resourceVersion) {}

  private final Map<Version, String> traces = new LinkedHashMap<>(); // locked by itself
  private volatile boolean used;

  /** Creates one without writes. */
  public WriteTraces() {}

  /** Records the attempt of this thread as the writer of a version, if it is traced. */
  public void written(Request key, String resourceVersion) {
    String trace = CurrentAttempt.get().map(ReconcileContext::traceParent).orElse("");
    if (trace.isEmpty() || resourceVersion.isEmpty()) {
      return;
    }
    used = true;
    synchronized (traces) {
      traces.put(new Version(key, resourceVersion), trace);
      if (traces.size() > LIMIT) {
        traces.remove(traces.keySet().iterator().next());
      }
    }
  }

  /**
   * Returns the trace of the write that an event reports, as the value of a W3C {@code traceparent}
   * header; empty when this process did not make it, or has not received its response yet.
   */
  public String of(ObjectEvent<?> event) {
    if (!used) {
      return "";
    }
    @Nullable String trace;
    synchronized (traces) {
      trace = traces.get(new Version(event.key(), event.resourceVersion()));
    }
    return trace == null ? "" : trace;
  }
}
