// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.webhook;

/** A webhook could not be called, or its response was not a valid one; any thread. */
public final class WebhookException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure; the message is worded as by the real server. */
  public WebhookException(String message) {
    super(message, null, false, false);
  }
}
