// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Objects;

/**
 * The options of the connection to the API server.
 *
 * <p>Thread rule: immutable.
 *
 * @param userAgent the user agent, visible in the server's audit log
 * @param fieldManager the default owner of fields in server-side apply and of other writes
 * @param callTimeout the longest a single read or write may take, from connect to the last byte
 * @param listTimeout the longest one page of a list, or a streamed list, may take
 * @param idleTimeout how long a watch may be idle before its connection is closed; longer than the
 *     minute between two bookmarks
 * @param pageSize how many objects a page of a list contains
 * @param cluster the name of the cluster that caches and errors show; empty, the default, for that of
 *     the host
 * @param streamedLists whether caches request their objects as the first events of a watch ({@code
 *     sendInitialEvents}) and read pages only from servers that refuse
 */
@RecordBuilder
public record KubernetesOptions(
    String userAgent,
    String fieldManager,
    Duration callTimeout,
    Duration listTimeout,
    Duration idleTimeout,
    int pageSize,
    String cluster,
    boolean streamedLists)
    implements KubernetesOptionsBuilder.With {

  /** The longest limit of the HTTP client, some 24 days; longer ones are cut to it. */
  private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

  /**
   * Ten seconds for a call, a minute for a page of 500, and 70 s without an event: API servers send
   * a bookmark every 60 s and keep events for 75 s, so a dead watch is noticed while it can still
   * be resumed.
   */
  public static final KubernetesOptions DEFAULT =
      new KubernetesOptions(
          "coxswain",
          "coxswain",
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(70),
          500,
          "",
          true);

  public KubernetesOptions {
    if (userAgent.isBlank() || fieldManager.isBlank()) {
      throw new IllegalArgumentException("the user agent and the field manager must not be blank");
    }
    callTimeout = cut(callTimeout);
    listTimeout = cut(listTimeout);
    idleTimeout = cut(idleTimeout);
    requirePositive(callTimeout, "call timeout");
    requirePositive(listTimeout, "list timeout");
    requirePositive(idleTimeout, "idle timeout");
    if (pageSize < 1) {
      throw new IllegalArgumentException("the page size must be at least 1: " + pageSize);
    }
  }

  private static Duration cut(Duration timeout) {
    return timeout.compareTo(LONGEST_TIMEOUT) > 0 ? LONGEST_TIMEOUT : timeout;
  }

  private static void requirePositive(Duration value, String what) {
    if (Objects.requireNonNull(value, what).isNegative() || value.isZero()) {
      throw new IllegalArgumentException("the " + what + " must be longer than zero: " + value);
    }
  }
}
