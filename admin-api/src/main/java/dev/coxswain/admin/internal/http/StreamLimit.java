// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import java.util.ArrayList;
import java.util.List;

/**
 * Limits the open streamed responses of one kind. Those for clients and those for other replicas
 * are counted apart, since another replica counts the streams of its callers itself. Confined to
 * the admin event loop.
 */
public final class StreamLimit {

  private final List<RequestContext> open = new ArrayList<>();

  /**
   * Counts a response until nothing more of it will be sent; returns false when a limit is reached.
   *
   * @param most the limit of all responses
   * @param each the limit for one caller
   */
  public boolean admit(RequestContext context, int most, int each) {
    List<RequestContext> alike =
        open.stream().filter(other -> other.ofReplica() == context.ofReplica()).toList();
    long mine = alike.stream().filter(other -> other.caller().equals(context.caller())).count();
    if (alike.size() >= most || mine >= each) {
      return false;
    }
    open.add(context);
    context.atEnd(() -> open.remove(context));
    return true;
  }
}
