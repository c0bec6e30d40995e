// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Cursors;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A place in a walk over the items of all replicas: which runs of the controller take part, which
 * of them have been shown, and the place in the one that is being shown. In a walk over audit
 * records, which shows all replicas at once, each part has a place of its own instead of a run.
 *
 * <p>It is no secret and gives no right: each replica signs the place in its own items, and the
 * rest only says whom to ask, by names that are looked up. So every replica can go on with it.
 *
 * @param parts who takes part, in the order of the walk
 * @param inner the place in the first part that is still to be shown, as its replica wrote it; null
 *     for its beginning
 */
public record ContinueToken(List<Part> parts, @Nullable String inner) {

  /** So the places in one replica begin, which hold no dot. */
  private static final String MARK = "w1.";

  /** The longest that is read; it must fit into a request line. */
  static final int MAX = 3000;

  static final String CONTINUE = "continue";

  private static final Set<String> PLACE = Set.of(CONTINUE, "limit");

  /** What {@link Cursors} makes; it becomes a part of an address. */
  private static final Pattern INNER = Pattern.compile("[A-Za-z0-9_-]{0,512}");

  private static final int MAX_PARTS = 256;

  public ContinueToken {
    parts = List.copyOf(parts);
  }

  /** How far a part has come. */
  public enum Progress {
    TODO,
    DONE,
    /** It could not be asked when the walk began, or is lost since. */
    MISSING
  }

  /**
   * One replica.
   *
   * @param replica its name
   * @param run the run of the controller, or the place in the records; empty for a missing one, and
   *     for the place before all records
   */
  public record Part(String replica, String run, Progress progress) {
    Part done() {
      return new Part(replica, run, Progress.DONE);
    }

    /** Returns how it is told of on a page for which it is not asked. */
    PeerAnswer state() {
      return progress == Progress.MISSING
          ? PeerAnswer.unreachable(replica, "this walk goes on without it")
          : new PeerAnswer(replica, PeerAnswer.State.OK, null, true, 200, null);
    }
  }

  /** Returns the part that is shown next, if any. */
  Optional<Part> current() {
    return parts.stream().filter(part -> part.progress() == Progress.TODO).findFirst();
  }

  /** Returns where the walk goes on when the current part has been shown. */
  ContinueToken next() {
    Part shown = current().orElseThrow();
    return new ContinueToken(
        parts.stream().map(part -> part.equals(shown) ? part.done() : part).toList(), null);
  }

  /** Says in a page where the walk goes on, if it does. */
  void put(ObjectNode page) {
    if (current().isPresent()) {
      page.put(CONTINUE, encode());
    }
  }

  /**
   * Returns the query for a page of one replica: the same filter as in another query, and a place
   * of that replica's own; null or empty for its beginning.
   */
  static String query(String other, int limit, @Nullable String place) {
    String filter = Query.without(other, PLACE);
    return (filter.isEmpty() ? "" : filter + "&")
        + "limit="
        + limit
        + (place == null || place.isEmpty() ? "" : "&" + CONTINUE + "=" + place);
  }

  static boolean isOne(String text) {
    return text.startsWith(MARK);
  }

  public String encode() {
    ArrayNode list = Json.object().putArray("p");
    for (Part part : parts) {
      list.addArray().add(part.replica()).add(part.run()).add(part.progress().ordinal());
    }
    ObjectNode json = Json.object();
    json.set("p", list);
    if (inner != null) {
      json.put("i", inner);
    }
    byte[] bytes = Json.write(json);
    return MARK
        + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)
        + "."
        + Long.toHexString(checksum(bytes));
  }

  static ContinueToken decode(String text) {
    if (!isOne(text)) {
      throw invalid();
    }
    String[] halves = text.substring(MARK.length()).split("\\.", -1);
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(halves[0]);
      if (halves.length != 2 || !Long.toHexString(checksum(bytes)).equals(halves[1])) {
        throw invalid();
      }
      return read(Json.read(bytes));
    } catch (IllegalArgumentException | IOException e) {
      throw invalid();
    }
  }

  private static ContinueToken read(@Nullable JsonNode json) {
    if (json == null || !json.path("p").isArray() || json.path("p").size() > MAX_PARTS) {
      throw invalid();
    }
    List<Part> parts = new ArrayList<>();
    for (JsonNode part : json.path("p")) {
      int progress = part.path(2).asInt(-1);
      if (progress < 0 || progress >= Progress.values().length) {
        throw invalid();
      }
      parts.add(
          new Part(part.path(0).asText(), part.path(1).asText(), Progress.values()[progress]));
    }
    String inner = json.path("i").asText("");
    if (!INNER.matcher(inner).matches()) {
      throw invalid();
    }
    return new ContinueToken(parts, inner.isEmpty() ? null : inner);
  }

  /** Against what is cut or mistyped, not against anybody. */
  private static long checksum(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes);
    return sum.getValue();
  }

  static Rejection invalid() {
    String why = "was not made by this API, or was changed on its way";
    return Problem.invalid(
            "invalid-cursor",
            "this value of \"continue\" " + why + "; start again without it",
            new Problem.Fault("parameter", CONTINUE, why))
        .rejection();
  }
}
