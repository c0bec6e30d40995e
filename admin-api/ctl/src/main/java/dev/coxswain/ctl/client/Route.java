// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.net.URI;
import java.util.List;

/** A way to the admin API, and who goes it. Calls may block. */
public interface Route extends AutoCloseable {

  /** Where it may be; the first that answers is used. */
  List<URI> servers();

  /** The token to show. It is never part of a message, a log or the arguments of a process. */
  String token();

  /**
   * Makes the way anew, after a token was refused or a connection lost.
   *
   * @return whether there may be something new, so that trying again makes sense
   */
  boolean renew();

  /** Why nobody can go this way any more, or an empty text; it may wait a moment to find out. */
  String trouble();

  /** The namespace of items when none is given. */
  String itemNamespace();

  @Override
  void close();
}
