// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    Map<String, Object> members) {

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

  /** A state that passes: the client tries again after a second. */
  public static Problem unavailable(String slug, String title, String detail) {
    return of(503, slug, title, detail).with("Retry-After", "1");
  }

  public static Problem timeout(String detail) {
    return unavailable("timeout", "No answer in time", detail);
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
  public Problem withCurrent(Object state) {
    return withMember("current", state);
  }

  /** Returns this with another member, whose value is a record, a list or a text. */
  public Problem withMember(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(members);
    more.put(name, value);
    return new Problem(status, slug, title, detail, errors, headers, more);
  }

  public Rejection rejection() {
    return new Rejection(this);
  }

  /** Returns the value of a member as a type, such as a record; empty without the member. */
  public <T> Optional<T> member(String name, Class<T> type) {
    return Optional.ofNullable(members.get(name)).map(value -> Json.value(value, type));
  }

  /**
   * The JSON of a problem.
   *
   * @param errors the place of each fault under its kind, and its detail
   */
  public record Body(
      @Nullable String type,
      @Nullable String title,
      @Nullable Integer status,
      @Nullable String detail,
      @Nullable String instance,
      @Nullable String requestId,
      @Nullable List<Map<String, String>> errors,
      @JsonAnyGetter @JsonAnySetter @Nullable Map<String, Object> members) {

    /** Returns the problem of another replica with the status of its response. */
    public Problem problem(int received) {
      String kind = type == null || !type.startsWith(TYPE_BASE) ? "" : type;
      Map<String, Object> more = new LinkedHashMap<>();
      if (errors != null) {
        more.put("errors", errors);
      }
      more.putAll(members == null ? Map.of() : members);
      return new Problem(
          received,
          kind.isEmpty() ? "" : kind.substring(TYPE_BASE.length()),
          title == null ? "" : title,
          detail == null ? "" : detail,
          List.of(),
          Map.of(),
          more);
    }
  }

  /** Returns the JSON of the response to a request. */
  public Body body(String instance, String requestId) {
    List<Map<String, String>> faults = new ArrayList<>();
    for (Fault fault : errors) {
      Map<String, String> shown = new LinkedHashMap<>();
      shown.put(fault.where(), fault.name());
      shown.put("detail", fault.detail());
      faults.add(shown);
    }
    return new Body(
        TYPE_BASE + slug,
        title,
        status,
        detail,
        instance,
        requestId,
        faults.isEmpty() ? null : faults,
        members);
  }
}
