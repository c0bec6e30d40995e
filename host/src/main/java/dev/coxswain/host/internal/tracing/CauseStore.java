// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The traces to which the next attempt of each request links: those of its causes, and that of its
 * previous attempt. Bounded; the oldest requests are forgotten first.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class CauseStore {

  static final int MAX_REQUESTS = 10_000;
  static final int MAX_CAUSES = 8;

  private static final class Links {
    private final List<String> causes = new ArrayList<>(1);
    private @Nullable String previous;
  }

  private final Map<Object, Links> requests = new LinkedHashMap<>();

  /** Adds a cause; further ones than {@link #MAX_CAUSES} are not kept. */
  void add(Object request, String traceParent) {
    List<String> causes = of(request).causes;
    if (causes.size() < MAX_CAUSES && !causes.contains(traceParent)) {
      causes.add(traceParent);
    }
  }

  /** Sets the previous attempt. */
  void previous(Object request, String traceParent) {
    of(request).previous = traceParent;
  }

  /** Passes the links of a request on, and forgets them. */
  void take(Object request, Consumer<String> cause, Consumer<String> previous) {
    Links links = requests.remove(request);
    if (links != null) {
      links.causes.forEach(cause);
      if (links.previous != null) {
        previous.accept(links.previous);
      }
    }
  }

  private Links of(Object request) {
    Links links = requests.computeIfAbsent(request, _ -> new Links());
    if (requests.size() > MAX_REQUESTS) {
      requests.remove(requests.keySet().iterator().next());
    }
    return links;
  }
}
