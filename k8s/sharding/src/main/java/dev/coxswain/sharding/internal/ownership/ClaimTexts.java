// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
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
 * that is stored beside it. Replicas with equal controllers have equal texts, so a replica reads one for all of them.
 *
 * <p>The rules receive Leases with the texts in place of their digests, and a list only when all its texts are known: for
 * them it is one that took longer. A text that cannot be read keeps replicas from starting controllers, and stops none.
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

  /** More texts than replicas of one roll-out have at the same time. */
  private static final int MAX_KNOWN = 64;

  private static final String DIGEST = "sha256-";
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** The time in which a replica finds that its text was deleted by hand. */
  private static final Duration CHECKED = Duration.ofMinutes(1);

  /** A text that was replaced is in the next list. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Store store;
  private final String key;
  private final Executor threads;
  private final Consumer<Runnable> later;
  private final int most;
  private final long again;

  /** Of other replicas, the last ones used. */
  private final Map<String, String> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_KNOWN;
        }
      };

  /** Of this replica: the one to publish, and the one in its Lease. */
  private Map<String, String> own = Map.of();

  private Map<String, String> stored = Map.of();
  private int storedAt = -1;
  private String published = "";

  private ReplicaLeases.@Nullable LeaseList newest;
  private ReplicaLeases.@Nullable LeaseList complete;
  private long completeAt;

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
    newest = list;
    if (list != null && missing(list).isEmpty()) {
      completeAt = now;
      if (complete == null || complete.sent() != list.sent()) {
        complete = list.with(key, this::text);
      }
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
    String digest = digest(text);
    if (!own.containsKey(digest)) {
      Map<String, String> next = new LinkedHashMap<>();
      String before = own.get(digestIn(published));
      if (before != null) {
        next.put(digestIn(published), before);
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
    if (ordinal.isPresent() && !own.isEmpty()) {
      int at = ordinal.getAsInt();
      if (at != storedAt || !stored.keySet().containsAll(own.keySet())) {
        put(at, own, now);
        return Long.MAX_VALUE;
      }
      if (nextCheck - now <= 0) {
        nextCheck = now + CHECKED.toNanos();
        send(
            now,
            () -> store.get(at),
            found -> {
              if (!found.keySet().containsAll(own.keySet())) {
                storedAt = -1;
              }
            });
        return Long.MAX_VALUE;
      }
    }
    ReplicaLeases.LeaseList list = newest;
    List<ReplicaLeaseStatus.Taken> missing = list == null ? List.of() : missing(list);
    if (missing.isEmpty()) {
      return own.isEmpty() ? Long.MAX_VALUE : Math.max(1, nextCheck - now);
    }
    int from = missing.getFirst().ordinal();
    send(
        now,
        () -> store.get(from),
        found -> {
          found.forEach((digest, text) -> {
            if (OwnershipTable.fits(text) && digest.equals(digest(text))) {
              known.put(digest, text);
            }
          });
          if (list != null && missing(list).stream().anyMatch(taken -> taken.ordinal() == from)) {
            nextRequest = now + again;
          }
        });
    return Long.MAX_VALUE;
  }

  /** Returns why claims cannot be compared; empty when they can, or soon. */
  public String problem(long now) {
    ReplicaLeases.LeaseList list = newest;
    String problem = failure;
    if (problem.isEmpty() && list != null && now - completeAt > PATIENCE.toNanos()) {
      problem =
          missing(list).stream()
              .findFirst()
              .map(taken ->
                  "the controllers of replica "
                      + taken.replica()
                      + " cannot be read, so it may run this one with another ownership")
              .orElse("");
    }
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

  /** Returns the replicas whose texts are not known, one for each text. */
  private List<ReplicaLeaseStatus.Taken> missing(ReplicaLeases.LeaseList list) {
    Set<String> digests = new HashSet<>();
    List<ReplicaLeaseStatus.Taken> missing = new ArrayList<>();
    for (ReplicaLeaseStatus.Taken taken : list.taken()) {
      String digest = digestIn(taken.attributes().getOrDefault(key, ""));
      if (!digest.isEmpty()
          && !own.containsKey(digest)
          && !known.containsKey(digest)
          && digests.add(digest)) {
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
