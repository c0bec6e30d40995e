// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts answers of a kind that go on for as long as somebody reads them: those for clients and
 * those for other replicas apart, since each part that another replica asks for on behalf of a
 * caller is counted as that caller's there. Confined to the admin event loop.
 */
public final class StreamLimit {

  private final List<RequestContext> open = new ArrayList<>();

  /**
   * Counts an answer until nothing more of it will be sent, and returns whether there may be one
   * more.
   *
   * @param most how many of its sort there may be
   * @param each how many of them for one caller
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
