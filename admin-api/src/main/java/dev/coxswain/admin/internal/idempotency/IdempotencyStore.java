// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which requests with an idempotency key have been taken, and how they were answered.
 * What is stored is small text under a digest, so that a map of the cluster could hold it as well.
 *
 * <p>Thread rule: called on the admin event loop; the futures complete there.
 */
interface IdempotencyStore {

  /**
   * Takes a key for one request, atomically, unless it has been taken.
   *
   * @param key a digest of the key and of who uses it
   * @param fingerprint a digest of the request
   */
  Future<Claim> claim(String key, String fingerprint);

  /** Remembers the answer to the request that took a key. */
  void keep(String key, Answer answer);

  /** Forgets a key whose request has changed nothing. */
  void release(String key);

  /** What became of an attempt to take a key. */
  sealed interface Claim {
    /** It is taken for this request, which must now be carried out. */
    record Taken() implements Claim {}

    /** The same request has taken it before and has not been answered. */
    record Running() implements Claim {}

    /** Another request has taken it before. */
    record OtherRequest() implements Claim {}

    /** The same request has been answered before. */
    record Answered(Answer answer) implements Claim {}

    /** There is no room. */
    record Full() implements Claim {}
  }

  /**
   * An answer.
   *
   * @param body the JSON text, or null for none
   * @param headers those that belong to the answer, without what each response has
   */
  record Answer(int status, @Nullable String body, Map<String, String> headers) {}
}
