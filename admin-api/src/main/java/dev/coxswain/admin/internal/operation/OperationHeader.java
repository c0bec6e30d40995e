// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one operation have in common.
 *
 * @param id its id on all replicas
 * @param participants the replicas that have a part of it, by name
 * @param refused those of them that refused to begin their part, with the kind of the problem
 * @param seed what the id is made of, together with the caller; null when it is an idempotency key,
 *     which is sent anyway, or when no part is to begin
 */
public record OperationHeader(
    String id, List<String> participants, Map<String, String> refused, @Nullable String seed) {

  private static final String ID_HEADER = "Coxswain-Operation";
  private static final String SEED_HEADER = "Coxswain-Operation-Seed";
  private static final String PARTICIPANTS_HEADER = "Coxswain-Participants";
  private static final String REFUSED_HEADER = "Coxswain-Refused";
  private static final Pattern SLUG = Pattern.compile("[a-z0-9-]{1,64}");
  private static final Pattern ID = Pattern.compile("op-[0-9a-f]{8}-[0-9]{1,18}");
  private static final int MAX_PARTICIPANTS = 256;
  private static final long NUMBERS = 1_000_000_000_000_000_000L; // of 18 digits

  public OperationHeader {
    participants = List.copyOf(participants);
    refused = Map.copyOf(refused);
  }

  public OperationHeader(String id, List<String> participants) {
    this(id, participants, Map.of(), null);
  }

  /**
   * Returns the ticket of a new operation.
   *
   * @param key the idempotency key, or null
   */
  public static OperationHeader draw(
      String actor, @Nullable String key, List<String> participants) {
    String seed = key == null ? UUID.randomUUID().toString() : key;
    return new OperationHeader(
        idUnder(actor, seed), participants, Map.of(), key == null ? seed : null);
  }

  /** Returns it with what is known only when all parts should have begun. */
  public OperationHeader refusedBy(Map<String, String> replicas) {
    return new OperationHeader(id, participants, replicas, null);
  }

  /**
   * Returns the id of the operation that is ordered under a key. It is the same through whichever
   * replica the order is sent again, so that parts that begin only then are parts of it.
   */
  public static String idUnder(String actor, String key) {
    ByteBuffer digest = ByteBuffer.wrap(Hashes.of(Hashes.joined(List.of(actor, key))));
    return "op-%08x-%d".formatted(digest.getInt(), Math.floorMod(digest.getLong(), NUMBERS));
  }

  /** Returns it as headers of a question to another replica. */
  public Map<String, String> headers() {
    Map<String, String> headers = new HashMap<>();
    headers.put(ID_HEADER, id);
    headers.put(PARTICIPANTS_HEADER, String.join(",", participants));
    if (seed != null) {
      headers.put(SEED_HEADER, seed);
    }
    if (!refused.isEmpty()) {
      headers.put(
          REFUSED_HEADER,
          String.join(
              ",",
              refused.entrySet().stream()
                  .map(one -> one.getKey() + "=" + one.getValue())
                  .sorted()
                  .toList()));
    }
    return headers;
  }

  /** Reads what another replica sent along; null when it sent nothing. */
  public static @Nullable OperationHeader of(RequestContext context) {
    String id = context.request().getHeader(ID_HEADER);
    String names = context.request().getHeader(PARTICIPANTS_HEADER);
    if (id == null || names == null || !ApiPaths.isPeer(context.path())) {
      return null;
    }
    List<String> participants = List.of(names.split(",", MAX_PARTICIPANTS));
    if (!ID.matcher(id).matches() || participants.stream().anyMatch(String::isBlank)) {
      throw Problem.invalid(
              "invalid-header",
              ID_HEADER + " must be the id of an operation, with its " + PARTICIPANTS_HEADER,
              new Problem.Fault("header", ID_HEADER, "must be the id of an operation"))
          .rejection();
    }
    return new OperationHeader(id, participants, refused(context, participants), null);
  }

  /**
   * Checks a ticket under which a replica is to begin a part. The id must be made of the caller and
   * the seed, so that no caller begins a part of the operation of another one.
   */
  void check(RequestContext context, String replica) {
    String sent = context.request().getHeader(SEED_HEADER);
    String made = sent == null ? context.request().getHeader(ApiHeaders.IDEMPOTENCY_KEY) : sent;
    if (made == null || !id.equals(idUnder(context.actor(), made))) {
      throw invalid(ID_HEADER, "must be the id that the caller and the seed make");
    }
    if (!participants.contains(replica)) {
      throw invalid(PARTICIPANTS_HEADER, "must name this replica");
    }
  }

  private static Rejection invalid(String header, String fault) {
    return Problem.invalid(
            "invalid-header", header + " " + fault, new Problem.Fault("header", header, fault))
        .rejection();
  }

  /** Reads who refused; what is no participant or no kind of a problem is left out. */
  private static Map<String, String> refused(RequestContext context, List<String> participants) {
    String text = context.request().getHeader(REFUSED_HEADER);
    Map<String, String> refused = new TreeMap<>();
    for (String one : text == null ? new String[0] : text.split(",", MAX_PARTICIPANTS)) {
      int equals = one.indexOf('=');
      String replica = one.substring(0, Math.max(0, equals));
      String slug = one.substring(equals + 1);
      if (participants.contains(replica) && SLUG.matcher(slug).matches()) {
        refused.put(replica, slug);
      }
    }
    return refused;
  }
}
