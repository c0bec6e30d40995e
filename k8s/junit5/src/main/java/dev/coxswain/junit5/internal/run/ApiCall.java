// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.regex.Pattern;
import okhttp3.Request;
import okhttp3.Response;

/**
 * A request of a reconciler to the API server.
 *
 * <p>Thread rule: immutable.
 *
 * @param number the number of the call in its run, from 1
 * @param write the number of the write in its run, from 1; 0 for a read
 * @param attempt the number of the attempt, from 1; 0 outside of attempts
 * @param cluster the name of the cluster; empty for the first one
 * @param request the request
 */
public record ApiCall(int number, int write, int attempt, String cluster, Request request) {

  /** More than the server stores in an object. */
  private static final long LONGEST_BODY = 16 << 20;

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

  /**
   * Returns whether the server has stored nothing for this write.
   *
   * @param response the response, whose body is left
   * @param before a version of the server before the write
   */
  boolean isIdle(Response response, long before) throws IOException {
    boolean dryRun = request.url().queryParameter("dryRun") != null;
    if (dryRun || isCreate() || request.method().equals("DELETE")) {
      return false;
    }
    JsonElement body = JsonParser.parseString(response.peekBody(LONGEST_BODY).string());
    return body instanceof JsonObject object
        && object.get("metadata") instanceof JsonObject metadata
        && !metadata.has("deletionTimestamp") // without its last finalizer it is gone
        && metadata.get("resourceVersion") instanceof JsonPrimitive version
        && version.getAsLong() <= before;
  }

  /** Returns method, path and cluster. */
  public String text() {
    return request.method() + " " + path() + TestServer.in(cluster);
  }

  /** Returns method, path and cluster without names, which may be generated: equal in repeated runs. */
  public String shape() {
    String path = isCreate() ? path() : NAME.matcher(path()).replaceFirst("$1$2");
    return request.method() + " " + path + TestServer.in(cluster);
  }
}
