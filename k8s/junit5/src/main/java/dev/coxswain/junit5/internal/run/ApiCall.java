// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import java.util.regex.Pattern;
import okhttp3.Request;

/**
 * A request of a reconciler to the API server.
 *
 * <p>Thread rule: immutable.
 *
 * @param number the number of the call in its run, from 1
 * @param write the number of the write in its run, from 1; 0 for a read
 * @param attempt the number of the attempt, from 1; 0 outside of attempts
 * @param request the request
 */
public record ApiCall(int number, int write, int attempt, Request request) {

  /** The name of an object, between its collection and a subresource. */
  private static final Pattern NAME =
      Pattern.compile(
          "^(/(?:api/[^/]+|apis/[^/]+/[^/]+)(?:/namespaces/[^/]+)?/[^/]+)/[^/]+(/[^/]+)?$");

  /** Returns whether it changes something. */
  public boolean isWrite() {
    return write > 0;
  }

  /** Returns whether it creates an object under a name that may be new. */
  public boolean isCreate() {
    return request.method().equals("POST");
  }

  /** Returns the path without the query. */
  public String path() {
    return request.url().encodedPath();
  }

  /** Returns method and path. */
  public String text() {
    return request.method() + " " + path();
  }

  /** Returns method and path without names, which may be generated: equal in repeated runs. */
  public String shape() {
    String path = isCreate() ? path() : NAME.matcher(path()).replaceFirst("$1$2");
    return request.method() + " " + path;
  }
}
