// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An error response (RFC 9457).
 *
 * @param slug the last part of the type URI
 * @param detail the state, the reason and what to do
 * @param errors the faults of an input, empty for none
 * @param headers headers of the response, such as Allow
 * @param members additional members, by name
 */
public record Problem(
    int status,
    String slug,
    String title,
    String detail,
    List<Fault> errors,
    Map<String, String> headers,
    Map<String, JsonNode> members) {

  public static final String TYPE_BASE = "https://coxswain.dev/problems/";

  /**
   * One fault of an input.
   *
   * @param where {@code pointer}, {@code parameter} or {@code header}
   * @param name the JSON pointer, or the name of the parameter or header
   * @param detail what is wrong with it
   */
  public record Fault(String where, String name, String detail) {}

  /** The detail when a change may have been made. */
  public static final String UNKNOWN = "outcome-unknown";

  /** A change may have been made: its outcome is unknown. */
  public static Problem unknown(String detail) {
    return of(503, "outcome-unknown", "Outcome unknown", detail);
  }

  /** Creates a problem without faults. */
  public static Problem of(int status, String slug, String title, String detail) {
    return new Problem(status, slug, title, detail, List.of(), Map.of(), Map.of());
  }

  public static Problem invalid(String slug, String detail, Fault... errors) {
    return of(400, slug, "Invalid request", detail).with(List.of(errors));
  }

  public static Problem internal() {
    return of(
        500,
        "internal",
        "Internal error",
        "the request failed inside the host; its log has the cause under this requestId");
  }

  public static Problem timeout(String detail) {
    return of(503, "timeout", "No answer in time", detail).with("Retry-After", "1");
  }

  /** A limit of requests or streams is reached. */
  public static Problem tooMany(String slug, String title, String detail, long retrySeconds) {
    return of(429, slug, title, detail).with("Retry-After", Long.toString(retrySeconds));
  }

  public Problem with(List<Fault> faults) {
    return new Problem(status, slug, title, detail, faults, headers, members);
  }

  public Problem with(String header, String value) {
    return new Problem(status, slug, title, detail, errors, Map.of(header, value), members);
  }

  /** Returns this with the state that the request conflicts with. */
  public Problem withCurrent(ObjectNode state) {
    return withMember("current", state);
  }

  public Problem withMember(String name, JsonNode value) {
    Map<String, JsonNode> more = new LinkedHashMap<>(members);
    more.put(name, value);
    return new Problem(status, slug, title, detail, errors, headers, more);
  }

  public Rejection rejection() {
    return new Rejection(this);
  }

  public ObjectNode toJson(String instance, String requestId) {
    ObjectNode json = Json.object();
    json.put("type", TYPE_BASE + slug);
    json.put("title", title);
    json.put("status", status);
    json.put("detail", Json.clean(detail));
    json.put("instance", Json.clean(instance));
    json.put("requestId", requestId);
    if (!errors.isEmpty()) {
      var list = json.putArray("errors");
      for (Fault fault : errors) {
        list.addObject()
            .put(fault.where(), Json.clean(fault.name()))
            .put("detail", Json.clean(fault.detail()));
      }
    }
    members.forEach(json::set);
    return json;
  }
}
