// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Paging and version parameters of lists and watches; immutable.
 *
 * @param limit page size, 0 = all
 * @param continueToken where the last page ended, empty = start
 * @param version given version, -1 = none
 * @param match {@code Exact}, {@code NotOlderThan} or empty
 * @param initialEvents whether a watch starts with the current objects; null = not given
 * @param bookmarks whether a watch wants bookmarks
 * @param timeoutSeconds time limit of a watch, 0 = the server decides
 */
public record ListQuery(
    int limit,
    String continueToken,
    long version,
    String match,
    @Nullable Boolean initialEvents,
    boolean bookmarks,
    int timeoutSeconds) {

  /** Reads the query; throws a 400 or 422 for what cannot be. */
  public static ListQuery parse(Function<String, @Nullable String> query, boolean watch) {
    String version = or(query.apply("resourceVersion"));
    String match = or(query.apply("resourceVersionMatch"));
    String token = or(query.apply("continue"));
    Boolean initial =
        query.apply("sendInitialEvents") == null ? null : flag(query.apply("sendInitialEvents"));
    Causes causes = new Causes();
    if (watch) {
      checkWatch(match, token, initial, causes);
    } else {
      checkList(version, match, token, initial, causes);
    }
    causes.throwIfAny(new ApiException.Names("meta.k8s.io", "ListOptions"), "");
    return new ListQuery(
        Math.clamp(number(query.apply("limit")), 0, Integer.MAX_VALUE),
        token,
        version.isEmpty() ? -1 : version(version, watch),
        match,
        initial,
        flag(query.apply("allowWatchBookmarks")),
        Math.clamp(number(query.apply("timeoutSeconds")), 0, 86_400));
  }

  private static void checkWatch(
      String match, String token, @Nullable Boolean initial, Causes causes) {
    boolean fresh = match.equals("NotOlderThan");
    if (initial != null && !fresh) {
      causes
          .at("resourceVersionMatch")
          .forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (match.isEmpty()) {
      return;
    }
    if (initial == null) {
      causes
          .at("resourceVersionMatch")
          .forbidden(
              "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!fresh) {
      causes.at("resourceVersionMatch", match).notSupported("NotOlderThan");
    }
    if (!token.isEmpty()) {
      causes
          .at("resourceVersionMatch")
          .forbidden("resourceVersionMatch is forbidden when continue is provided");
    }
  }

  private static void checkList(
      String version, String match, String token, @Nullable Boolean initial, Causes causes) {
    if (!match.isEmpty()) {
      checkMatch(version, match, token, causes);
    }
    if (initial != null) {
      causes.at("sendInitialEvents").forbidden("sendInitialEvents is forbidden for list");
    }
  }

  private static void checkMatch(String version, String match, String token, Causes causes) {
    if (version.isEmpty()) {
      causes
          .at("resourceVersionMatch")
          .forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!token.isEmpty()) {
      causes
          .at("resourceVersionMatch")
          .forbidden("resourceVersionMatch is forbidden when continue is provided");
    }
    if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
      causes.at("resourceVersionMatch", match).notSupported("Exact", "NotOlderThan", "");
    }
    if (match.equals("Exact") && version.equals("0")) {
      causes
          .at("resourceVersionMatch")
          .forbidden("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }

  /** Checks the resource version of a get; throws a 500, as the real server does. */
  public static void checkVersion(@Nullable String text) {
    if (text != null && !text.isEmpty()) {
      version(text, true);
    }
  }

  private static long version(String text, boolean internal) {
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      String why =
          "resourceVersion: Invalid value: %s: strconv.ParseUint: parsing %1$s: invalid syntax"
              .formatted(Cause.quote(text));
      throw internal
          ? ApiException.internal(why)
          : ApiException.badRequest("invalid resource version: " + why);
    }
  }

  private static long number(@Nullable String text) {
    try {
      return text == null || text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw ApiException.badRequest("strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
    }
  }

  /** As Go reads a boolean parameter: present without a value is true. */
  public static boolean flag(@Nullable String text) {
    return text != null && !text.equalsIgnoreCase("false") && !text.equals("0");
  }

  /** The text, empty when there is none. */
  static String or(@Nullable String text) {
    return text == null ? "" : text;
  }
}
