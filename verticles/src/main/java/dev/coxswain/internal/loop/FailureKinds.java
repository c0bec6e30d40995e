// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.view.FailureKind;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The kinds of failures of one controller: exception class and top frame. The stack trace of the
 * first failure of each is kept; with too many kinds the least recently used one is dropped.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class FailureKinds {
  /** The most kinds that are kept: half a megabyte with the longest stack traces. */
  public static final int MAX = 64;

  private final LinkedHashMap<String, FailureKind> kinds = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * The kind of a failure.
   *
   * @param isNew whether it is the first failure of this kind
   */
  public record Found(FailureKind kind, boolean isNew) {}

  public Found of(Failure failure) {
    FailureKind present = kinds.get(failure.kind());
    if (present != null) {
      return new Found(present, false);
    }
    FailureKind created = new FailureKind(StackText.of(failure.cause()));
    kinds.put(failure.kind(), created);
    if (kinds.size() > MAX) {
      Map.Entry<String, FailureKind> oldest = kinds.firstEntry();
      oldest.getValue().evict();
      kinds.remove(oldest.getKey());
    }
    return new Found(created, true);
  }

  /** Forgets a kind, so that its next failure is the first one. */
  void forget(Failure failure) {
    kinds.remove(failure.kind());
  }
}
