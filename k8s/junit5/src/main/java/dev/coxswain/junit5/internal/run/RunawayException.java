// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

/** A run that does not come to rest. */
public final class RunawayException extends RuntimeException {
  private static final long serialVersionUID = 1;

  RunawayException(String message) {
    super(message);
  }
}
