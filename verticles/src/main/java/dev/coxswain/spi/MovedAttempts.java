// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import dev.coxswain.view.PastAttempt;
import java.util.List;
import java.util.Objects;

/**
 * The last attempts of one request that move with its slot to another replica.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace of the request, empty for none
 * @param name its name
 * @param attempts how they ended, the newest first
 */
public record MovedAttempts(String namespace, String name, List<PastAttempt> attempts) {

  /** The maximum number of requests whose attempts move with one slot. */
  public static final int MAX = 200;

  public MovedAttempts {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(name, "name");
    attempts = List.copyOf(attempts);
  }
}
