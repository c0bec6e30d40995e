// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

import java.io.IOException;

/**
 * The way to the API server or the credentials for it cannot be used or obtained; nothing was sent,
 * or the server has refused it with 401. The message names file, user and cause, and no secret.
 */
public final class AccessException extends IOException {
  private static final long serialVersionUID = 1;

  public AccessException(String message) {
    super(message);
  }
}
