// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.Set;

/**
 * Whether the next list of an informer is a streamed one.
 *
 * <p>A server that refuses, or that streams without ever sending the end, is not tried again during
 * the life of the informer. A broken stream is no refusal: the next list is read in pages, the one
 * after that may be streamed again.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class StreamedLists {

  /**
   * The statuses of servers that lack the parameters, have the feature disabled, or do not allow it
   * for this resource; 422 is used by API servers since 1.27.
   */
  private static final Set<Integer> REFUSALS = Set.of(400, 405, 406, 415, 422, 501);

  private boolean supported;
  private boolean skipOnce;

  StreamedLists(boolean enabled) {
    this.supported = enabled;
  }

  /** Returns whether to stream the next list. */
  boolean next() {
    boolean stream = supported && !skipOnce;
    skipOnce = false;
    return stream;
  }

  static boolean isRefusal(ApiStatusException e) {
    return REFUSALS.contains(e.code());
  }

  /** Disables streaming. */
  void unsupported() {
    supported = false;
  }

  /** Disables streaming for the next list. */
  void broken() {
    skipOnce = true;
  }
}
