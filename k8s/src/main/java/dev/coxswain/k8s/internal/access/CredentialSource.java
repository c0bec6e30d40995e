// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import org.jspecify.annotations.Nullable;

/**
 * Provides the credential of each request.
 *
 * <p>Thread rule: any thread that may block.
 */
interface CredentialSource {

  /**
   * Returns the credential for a request that is sent now.
   *
   * @throws AccessException when there is none
   */
  Credential current() throws AccessException;

  /**
   * Returns a newer credential than one that the server has refused with 401, or null when there is
   * none.
   *
   * @throws AccessException when it should have been renewed and could not
   */
  @Nullable Credential renewed(Credential refused) throws AccessException;

  /** Takes note that the server has not refused a credential. */
  default void accepted(Credential credential) {}

  /** Returns a source of a credential that never changes. */
  static CredentialSource of(Credential credential) {
    return new CredentialSource() {
      @Override
      public Credential current() {
        return credential;
      }

      @Override
      public @Nullable Credential renewed(Credential refused) {
        return null;
      }
    };
  }
}
