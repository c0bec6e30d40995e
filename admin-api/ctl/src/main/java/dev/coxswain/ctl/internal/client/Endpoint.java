// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import java.net.URI;
import java.util.List;

/** An address of the admin API, with its credentials. Calls may block. */
public interface Endpoint extends AutoCloseable {

  /** Returns the candidate addresses; the first that accepts a connection is used. */
  List<URI> servers();

  /** Returns the bearer token, which must not get into messages, logs or arguments of processes. */
  String token();

  /**
   * Connects again, after a token was refused or a connection was lost.
   *
   * @return whether a retry can succeed
   */
  boolean renew();

  /** Returns why the address is no longer reachable, or an empty text; may block briefly. */
  default String failure() {
    return "";
  }

  /** Returns the default namespace of items. */
  String itemNamespace();

  @Override
  default void close() {}
}
