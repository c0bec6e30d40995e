// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.Set;

/**
 * Whether the next list of a cache is a streamed one.
 *
 * <p>A server that refuses, or that streams without ever telling the end, is not asked again as
 * long as the cache lives. A stream that broke is no refusal: the next list is read in pages, the
 * one after that may be streamed again.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class StreamedLists {

  /**
   * What servers say that do not know the parameters, have the feature switched off, or do not
   * allow it for this resource; 422 is what API servers since 1.27 use.
   */
  private static final Set<Integer> REFUSALS = Set.of(400, 405, 406, 415, 422, 501);

  private boolean supported;
  private boolean skipOnce;

  StreamedLists(boolean enabled) {
    this.supported = enabled;
  }

  /** Returns whether to stream, for one list. */
  boolean next() {
    boolean stream = supported && !skipOnce;
    skipOnce = false;
    return stream;
  }

  static boolean isRefusal(ApiStatusException e) {
    return REFUSALS.contains(e.code());
  }

  /** Never again. */
  void unsupported() {
    supported = false;
  }

  /** Not the next time. */
  void broken() {
    skipOnce = true;
  }
}
