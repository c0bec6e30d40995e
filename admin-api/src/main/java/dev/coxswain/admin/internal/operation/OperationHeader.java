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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The data that all parts of an operation share, sent between replicas as HTTP headers. Immutable.
 *
 * @param id its id on all replicas
 * @param participants the names of the replicas that have a part of it
 * @param refused the participants that refused their part, with the kind of the problem
 * @param seed the id is a digest of the caller and this seed; null when the seed is the idempotency
 *     key, which is sent anyway, or when no part is to begin
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
   * Returns the header of a new operation.
   *
   * @param key the idempotency key, or null
   */
  public static OperationHeader create(
      String actor, @Nullable String key, List<String> participants) {
    String seed = key == null ? UUID.randomUUID().toString() : key;
    return new OperationHeader(
        idOf(actor, seed), participants, Map.of(), key == null ? seed : null);
  }

  /** Returns it with the participants that refused their parts. */
  public OperationHeader refusedBy(Map<String, String> replicas) {
    return new OperationHeader(id, participants, replicas, null);
  }

  /**
   * Returns the id for an idempotency key. It is the same on every replica, so a part that begins
   * with a repeated request belongs to the same operation.
   */
  public static String idOf(String actor, String key) {
    ByteBuffer digest = ByteBuffer.wrap(Hashes.of(Hashes.joined(List.of(actor, key))));
    return "op-%08x-%d".formatted(digest.getInt(), Math.floorMod(digest.getLong(), NUMBERS));
  }

  /** Returns it as HTTP headers. */
  public Map<String, String> headers() {
    Map<String, String> headers = new HashMap<>();
    headers.put(ID_HEADER, id);
    headers.put(PARTICIPANTS_HEADER, String.join(",", participants));
    if (seed != null) {
      headers.put(SEED_HEADER, seed);
    }
    if (!refused.isEmpty()) {
      String pairs =
          refused.entrySet().stream()
              .map(one -> one.getKey() + "=" + one.getValue())
              .sorted()
              .collect(Collectors.joining(","));
      headers.put(REFUSED_HEADER, pairs);
    }
    return headers;
  }

  /** Returns the header that another replica has sent, or null. */
  public static @Nullable OperationHeader of(RequestContext context) {
    String id = context.request().getHeader(ID_HEADER);
    String names = context.request().getHeader(PARTICIPANTS_HEADER);
    if (id == null || names == null || !ApiPaths.isPeer(context.path())) {
      return null;
    }
    List<String> participants = List.of(names.split(",", MAX_PARTICIPANTS));
    if (!ID.matcher(id).matches() || participants.stream().anyMatch(String::isBlank)) {
      throw invalid(ID_HEADER, "must be the id of an operation, with its " + PARTICIPANTS_HEADER);
    }
    return new OperationHeader(id, participants, refused(context, participants), null);
  }

  /**
   * Checks the header of a part that is to begin. The id must be the digest of the caller and the
   * seed, so that no caller begins a part of an operation of another caller.
   */
  void check(RequestContext context, String replica) {
    String sent = context.request().getHeader(SEED_HEADER);
    String given = sent == null ? context.request().getHeader(ApiHeaders.IDEMPOTENCY_KEY) : sent;
    if (given == null || !id.equals(idOf(context.actor(), given))) {
      throw invalid(ID_HEADER, "must be the digest of the caller and the seed");
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

  /** Returns the refusals; ignores unknown participants and malformed kinds of problems. */
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
