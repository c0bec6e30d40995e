// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps long claims out of the Leases, which each replica lists again and again: the Lease has the digest of a text
 * that is stored beside it. Replicas have equal texts, except those that run a controller with the ownership {@code leader}; a replica
 * reads equal ones once.
 *
 * <p>The rules receive Leases with the texts in place of their digests, and a list only when all its texts are known: for
 * them it is one that took longer. A text that cannot be read keeps replicas from starting controllers; it stops those
 * of a replica that has another identity since, because others may run them differently by now.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
public final class ClaimTexts {

  private static final Logger LOG = LoggerFactory.getLogger(ClaimTexts.class);

  /** Where the texts of the replica of an ordinal are stored, by digest; may block and throw. */
  public interface Store {
    /** Returns what is stored; empty when there is nothing. */
    Map<String, String> get(int ordinal);

    /** Stores these and removes all others. */
    void put(int ordinal, Map<String, String> texts);
  }

  /** The longest text in a Lease: that of some fifty controllers. */
  static final int MAX_IN_LEASE = 1_024;

  private static final String DIGEST = "sha256-";
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** The time in which a replica finds that its text was deleted by hand. */
  private static final Duration CHECKED = Duration.ofMinutes(1);

  /** The next list has what has replaced a missing text, and the next request may succeed. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Store store;
  private final String key;
  private final Executor threads;
  private final Consumer<Runnable> later;
  private final int most;
  private final long again;

  /** Of the replicas in the newest list. */
  private final Map<String, String> known = new HashMap<>();

  /** Of this replica: the one to publish, and those that its Lease has or is about to have. */
  private Map<String, String> own = Map.of();

  /** The digest in the Lease. */
  private String inLease = "";

  private String lastText = "";
  private String lastDigest = "";

  private Map<String, String> stored = Map.of();
  private int storedAt = -1;
  private String published = "";

  private ReplicaLeases.@Nullable LeaseList newest;
  private ReplicaLeases.@Nullable LeaseList complete;

  /** When nothing was missing and no request had failed. */
  private long wellAt;

  private int turn;
  private boolean underWay;
  private long nextRequest = Long.MIN_VALUE;
  private long nextCheck = Long.MIN_VALUE;
  private String failure = "";
  private String reported = "";

  /**
   * Creates one that has read nothing.
   *
   * @param key the attribute of a Lease that has the claims
   * @param threads runs requests, which block
   * @param later runs what has to be done on the thread of the slots
   */
  public ClaimTexts(Store store, String key, Executor threads, Consumer<Runnable> later) {
    this(store, key, threads, later, MAX_IN_LEASE, AGAIN);
  }

  /**
   * Creates one for a test.
   *
   * @param most the longest text in a Lease
   * @param again the time after which a text that was not found is read again
   */
  ClaimTexts(
      Store store,
      String key,
      Executor threads,
      Consumer<Runnable> later,
      int most,
      Duration again) {
    this.most = most;
    this.again = again.toNanos();
    this.store = store;
    this.key = key;
    this.threads = threads;
    this.later = later;
  }

  /** Returns the own Lease with its text. */
  public ReplicaLeases.OwnLease resolved(ReplicaLeases.OwnLease lease) {
    String claims = lease.attributes().getOrDefault(key, "");
    String digest = digestIn(claims);
    inLease = digest;
    String text = digest.isEmpty() ? null : own.getOrDefault(digest, known.get(digest));
    return text == null ? lease : lease.with(key, withText(claims, text));
  }

  /**
   * Returns the last list of which all texts are known.
   *
   * @param list the last list; null before the first
   */
  public ReplicaLeases.@Nullable LeaseList resolved(
      ReplicaLeases.@Nullable LeaseList list, long now) {
    if (list != null && (newest == null || newest.sent() != list.sent())) {
      Set<String> digests = new HashSet<>();
      list.taken()
          .forEach(taken -> digests.add(digestIn(taken.attributes().getOrDefault(key, ""))));
      known.keySet().retainAll(digests);
      newest = list;
    }
    boolean whole = newest == null || missing(newest).isEmpty();
    if (whole && failure.isEmpty()) {
      wellAt = now;
    }
    if (whole && newest != null && (complete == null || complete.sent() != newest.sent())) {
      complete = newest.with(key, this::text);
    }
    return complete;
  }

  /**
   * Returns what to publish in the Lease for these claims: nothing else than before until their text is stored.
   *
   * @param ordinal that of the Lease that is held; empty for none
   */
  public String shortened(String claims, OptionalInt ordinal) {
    if (claims.length() <= most) {
      own = Map.of();
      published = claims;
      return published;
    }
    int end = claims.indexOf(';') + 1;
    String text = claims.substring(end);
    if (!text.equals(lastText)) {
      lastText = text;
      lastDigest = digest(text);
    }
    String digest = lastDigest;
    if (!own.containsKey(digest)) {
      Map<String, String> next = new HashMap<>();
      for (String before : List.of(digestIn(published), inLease)) {
        String kept = own.get(before);
        if (kept != null) {
          next.put(before, kept);
        }
      }
      next.put(digest, text);
      own = Map.copyOf(next);
    }
    if (ordinal.isPresent() && ordinal.getAsInt() == storedAt && stored.containsKey(digest)) {
      published = claims.substring(0, end) + digest;
    }
    return published;
  }

  /**
   * Sends the next request, if one is due.
   *
   * @return the time until the next one, in nanoseconds, {@link Long#MAX_VALUE} for none
   */
  public long request(OptionalInt ordinal, long now) {
    if (underWay) {
      return Long.MAX_VALUE; // its answer causes a pass
    }
    if (nextRequest != Long.MIN_VALUE && nextRequest - now > 0) {
      return nextRequest - now;
    }
    if (ordinal.isEmpty()) {
      storedAt = -1; // another replica may hold the ordinal meanwhile
    } else if (!own.isEmpty()) {
      int at = ordinal.getAsInt();
      if (at != storedAt || !stored.keySet().containsAll(own.keySet())) {
        put(at, own, now);
        return Long.MAX_VALUE;
      }
      if (nextCheck - now <= 0) {
        nextCheck = now + CHECKED.toNanos();
        send(now, () -> store.get(at), this::checked);
        return Long.MAX_VALUE;
      }
    }
    ReplicaLeases.LeaseList list = newest;
    List<ReplicaLeaseStatus.Taken> missing = list == null ? List.of() : missing(list);
    if (!missing.isEmpty()) {
      // Each in turn: the first may have ended, or not be able to store its text.
      int from = missing.get(Math.floorMod(turn++, missing.size())).ordinal();
      send(now, () -> store.get(from), found -> found(found, now));
      return Long.MAX_VALUE;
    }
    failure = "";
    return own.isEmpty() || ordinal.isEmpty() ? Long.MAX_VALUE : Math.max(1, nextCheck - now);
  }

  private void checked(Map<String, String> found) {
    if (!found.entrySet().containsAll(own.entrySet())) {
      storedAt = -1; // changed by hand
    }
  }

  private void found(Map<String, String> texts, long now) {
    boolean any = false;
    for (ReplicaLeaseStatus.Taken taken :
        newest == null ? List.<ReplicaLeaseStatus.Taken>of() : missing(newest)) {
      String digest = digestIn(taken.attributes().getOrDefault(key, ""));
      String text = texts.getOrDefault(digest, "");
      if (OwnershipTable.fits(text) && digest.equals(digest(text))) {
        known.put(digest, text);
        any = true;
      }
    }
    if (!any) {
      nextRequest = now + again;
    }
  }

  /** Returns why claims cannot be compared; empty when they can, or soon. After {@link #resolved}. */
  public String problem(long now) {
    String problem = now - wellAt > PATIENCE.toNanos() ? cause() : "";
    if (!problem.equals(reported)) {
      reported = problem;
      if (problem.isEmpty()) {
        LOG.atInfo().log("controllers of the replicas can be compared again");
      } else {
        LOG.atWarn()
            .addKeyValue("problem", problem)
            .log(
                "controllers of the replicas cannot be compared, retrying; no controller is started before");
      }
    }
    return problem;
  }

  private String cause() {
    ReplicaLeases.LeaseList list = newest;
    List<ReplicaLeaseStatus.Taken> missing = list == null ? List.of() : missing(list);
    return failure.isEmpty() && !missing.isEmpty()
        ? "the controllers of replica "
            + missing.getFirst().replica()
            + " cannot be read, so it may run this one with another ownership"
        : failure;
  }

  private void put(int ordinal, Map<String, String> texts, long now) {
    send(
        now,
        () -> {
          store.put(ordinal, texts);
          return texts;
        },
        done -> {
          storedAt = ordinal;
          stored = done;
          nextCheck = now + CHECKED.toNanos();
        });
  }

  /** A request that may block and throw. */
  private interface Request {
    Map<String, String> send();
  }

  private void send(long now, Request request, Consumer<Map<String, String>> then) {
    underWay = true;
    threads.execute(() -> {
      Runnable answer;
      try {
        Map<String, String> found = request.send();
        answer =
            () -> {
              failure = "";
              then.accept(found);
            };
      } catch (Throwable e) {
        answer =
            () -> {
              failure = "claims of controllers: " + e.getMessage();
              nextRequest = now + again;
            };
      }
      Runnable taken = answer;
      later.accept(() -> {
        underWay = false;
        taken.run();
      });
    });
  }

  /** Returns the replicas whose texts are not known. */
  private List<ReplicaLeaseStatus.Taken> missing(ReplicaLeases.LeaseList list) {
    List<ReplicaLeaseStatus.Taken> missing = new ArrayList<>();
    for (ReplicaLeaseStatus.Taken taken : list.taken()) {
      String digest = digestIn(taken.attributes().getOrDefault(key, ""));
      if (!digest.isEmpty() && !own.containsKey(digest) && !known.containsKey(digest)) {
        missing.add(taken);
      }
    }
    return missing;
  }

  private String text(String published) {
    String digest = digestIn(published);
    if (digest.isEmpty()) {
      return published;
    }
    return withText(published, Objects.requireNonNull(own.getOrDefault(digest, known.get(digest))));
  }

  private static String withText(String published, String text) {
    return published.substring(0, published.indexOf(';') + 1) + text;
  }

  private static String digestIn(String published) {
    String text = published.substring(published.indexOf(';') + 1);
    return text.startsWith(DIGEST) ? text : "";
  }

  static String digest(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return DIGEST + HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has it", e);
    }
  }
}
