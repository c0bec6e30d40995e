// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.net.URI;
import java.util.List;

/** An address of the admin API, with its credentials. Calls may block. */
public interface Endpoint extends AutoCloseable {

  /** The candidate addresses; the first that accepts a connection is used. */
  List<URI> servers();

  /** The bearer token. It is never part of a message, a log or the arguments of a process. */
  String token();

  /**
   * Connects again, after a token was refused or a connection lost.
   *
   * @return whether there may be something new, so that trying again makes sense
   */
  boolean renew();

  /** Why the address is no longer reachable, or an empty text; may wait a moment. */
  String failure();

  /** The namespace of items when none is given. */
  String itemNamespace();

  @Override
  void close();
}
