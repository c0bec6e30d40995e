// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.sharding.internal.lease.ApiLeaseStore;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseStore;
import dev.coxswain.sharding.internal.lease.LeaseThreads;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Lease;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * The Lease of this replica, one of several at the API server, each with an ordinal, and the
 * permissions that it gives.
 *
 * <p>A replica that cannot renew its Lease stops acting in time. One whose Lease was taken acquires
 * another one under a new identity; while all are held it keeps trying. Neither ends the process.
 * The Leases must not be deleted while replicas run: that frees a Lease at once although its holder
 * still acts.
 *
 * <p>The own Lease is renewed at its interval. The Leases are listed at least once a second; while
 * no other replica holds one, with each renewal; among many replicas more seldom, and some are read one by one in
 * between.
 *
 * <p>Thread rule: any thread; nothing blocks. Used once.
 */
public final class ReplicaLeases {

  /**
   * A Lease that is held.
   *
   * <p>Thread rule: immutable.
   *
   * @param ordinal its ordinal, from 0
   * @param sinceNanos since when, by the monotonic clock of this process: not before its previous
   *     holder had released or lost it
   */
  public record Held(int ordinal, long sinceNanos) {}

  /**
   * The Lease of this replica, for rules that decide on it at one moment.
   *
   * <p>Thread rule: immutable.
   *
   * @param identity the identity under which this replica holds or requests a Lease
   * @param held whether it holds one, as far as this process has received, and has not resigned
   * @param writeDeadline until when it may act on it, by the monotonic clock
   * @param attributes its attributes as last stored under this identity
   * @param storedAt when they were known to be stored: a list that was sent later contains them, or
   *     the Lease is lost
   */
  public record OwnLease(
      String identity,
      boolean held,
      long writeDeadline,
      Map<String, String> attributes,
      long storedAt) {
    public OwnLease {
      attributes = Map.copyOf(attributes);
    }

    /** Returns it with another value of an attribute that it has. */
    public OwnLease with(String key, String value) {
      return new OwnLease(
          identity,
          held,
          writeDeadline,
          ReplicaLeaseStatus.replaced(attributes, key, _ -> value),
          storedAt);
    }
  }

  /**
   * One consistent list of all Leases.
   *
   * <p>Thread rule: immutable.
   *
   * @param taken the held Leases, expired or not
   * @param silent the holders that were not observed to renew their Leases for half of the duration
   * @param lastHolders the last holders that the Leases name: each has released its Lease, or was
   *     observed to have let it expire
   * @param version a version of the store that the list is not older than: the highest resource
   *     version of the Leases in it; 0 when none is a number
   * @param sent when the list was requested, by the monotonic clock
   * @param received when the response was received
   */
  public record LeaseList(
      List<ReplicaLeaseStatus.Taken> taken,
      Set<String> silent,
      Set<String> lastHolders,
      long version,
      long sent,
      long received) {
    public LeaseList {
      taken = List.copyOf(taken);
      silent = Set.copyOf(silent);
      lastHolders = Set.copyOf(lastHolders);
    }

    /** Returns it with other values of an attribute, where it is set. */
    public LeaseList with(String key, UnaryOperator<String> value) {
      return new LeaseList(
          taken.stream().map(one -> one.with(key, value)).toList(),
          silent,
          lastHolders,
          version,
          sent,
          received);
    }

    /** Returns the attributes of a holder; empty for none. */
    public Map<String, String> attributes(String identity) {
      return taken.stream()
          .filter(one -> one.identity().equals(identity))
          .findFirst()
          .map(ReplicaLeaseStatus.Taken::attributes)
          .orElse(Map.of());
    }
  }

  /** The number of requests that may time out within the renew deadline. */
  private static final int CALLS_PER_DEADLINE = 4;

  private final MembershipOptions options;
  private final ReplicaLeaseHolder holder;
  private final LeaseThreads threads;
  private volatile Runnable afterStep = () -> {};

  /**
   * Creates a membership that has not started.
   *
   * @param transport the connection to the API server
   * @param options the options
   * @param clock the time
   * @param mayBeOverridden whether an override of what the replicas share may be in force, as far
   *     as this one has received; stored with each renewal. Called on a thread of this object, must
   *     not block. A replica that has received nothing yet returns {@link #overrideSeen}
   */
  public ReplicaLeases(
      ApiTransport transport,
      MembershipOptions options,
      Clock clock,
      BooleanSupplier mayBeOverridden) {
    this.options = options;
    this.threads =
        new LeaseThreads(
            "the membership of " + options.replica(), new UserCode("replica", options.replica()));
    this.holder =
        new ReplicaLeaseHolder(
            options,
            new ApiReplicaLeaseStore(
                transport.withTimeout(
                    options.times().renewDeadline().dividedBy(CALLS_PER_DEADLINE)),
                options.namespace(),
                options.prefix()),
            clock,
            RandomGenerator.getDefault(),
            () -> options.replica() + "_" + UUID.randomUUID(),
            mayBeOverridden);
  }

  /** Starts acquiring a Lease. */
  public void start() {
    threads.start(
        new LeaseThreads.Step(
            "coxswain-lease " + options.prefix(),
            this::step,
            "replica lease step failed, continuing",
            options.times().retryPeriod()));
  }

  private Duration step() {
    try {
      return holder.step();
    } finally {
      afterStep.run();
    }
  }

  /**
   * Sets what is called after each step, successful or not, on a thread of this object; must
   * neither block nor throw.
   */
  public void afterEachStep(Runnable action) {
    afterStep = action;
  }

  /** Takes the next step now: the Lease is renewed and the others are listed. */
  public void wake() {
    holder.wantRenewal();
    threads.wake();
  }

  /** Returns the Lease of this replica. */
  public OwnLease own() {
    return holder.own();
  }

  /** Returns the last list; empty before the first. */
  public Optional<LeaseList> lastList() {
    return holder.lastList();
  }

  /** Returns whether this replica holds its Lease at this moment and may act on it. */
  public boolean mayAct() {
    return holder.mayAct();
  }

  /**
   * Returns whether this replica may, at this moment, use what the replicas of its generation
   * share. Never true in two generations at once.
   */
  public boolean poolAllowed() {
    return holder.poolAllowed();
  }

  /**
   * Sets the holders of Leases from which this replica waits for an attribute: they are read at the interval of
   * the observation also when lists are rare.
   */
  public void await(Set<String> holders) {
    holder.reads().await(holders);
  }

  /** Returns the attributes of Leases that were read since the last list, by holder. */
  public Map<String, Map<String, String>> readSinceList() {
    return holder.reads().attributes();
  }

  /** Returns the present time between two lists; zero before the first. */
  public Duration listPeriod() {
    return holder.reads().listPeriod();
  }

  /** Returns the Lease of this replica, whether it may act on it or not. */
  public Optional<Held> held() {
    return holder.held();
  }

  /**
   * Returns the largest number of replicas that held a Lease during the last lease duration, at
   * least 1.
   */
  public int liveReplicas() {
    return holder.liveReplicas();
  }

  /**
   * Returns whether a Lease of another replica has ever announced that an override may be in force,
   * or has not ruled it out, as those of older versions. Stays true once it is.
   */
  public boolean overrideSeen() {
    return holder.overrideSeen();
  }

  /**
   * Returns whether all Leases have been listed since this replica acquired its Lease, and within
   * the {@linkplain MembershipOptions#settle settling time}, so that {@link #overrideSeen} is up to
   * date.
   */
  public boolean othersListed() {
    return holder.othersListed();
  }

  /** Returns how many expired Leases of other replicas this one has released. */
  public long fenced() {
    return holder.fenced();
  }

  /** Returns the status, for display. */
  public ReplicaLeaseStatus status() {
    return holder.status();
  }

  /**
   * Publishes an address of this replica in its Lease, from the next renewal on.
   *
   * @param what the key, for instance {@code admin}: letters, digits and dashes
   * @param where the address
   */
  public void announce(String what, String where) {
    holder.announce(what, where);
  }

  /**
   * Publishes an attribute of this replica in its Lease, from the next renewal on.
   *
   * @param key letters, digits and dashes
   */
  public void publish(String key, String value) {
    holder.publish(key, value);
  }

  /**
   * Releases the Lease. From this moment on this replica may not act.
   *
   * @return a future that completes when the release is stored or has failed; it does not fail
   */
  public Future<Void> stop() {
    holder.resign();
    return threads.stop("coxswain-lease-stop " + options.prefix(), holder::release);
  }

  /**
   * The replica Leases at the API server.
   *
   * @param prefix the value of their label
   */
  private record ApiReplicaLeaseStore(ApiTransport transport, String namespace, String prefix)
      implements ReplicaLeaseStore {

    @Override
    public List<LeaseRecord> list() {
      List<LeaseRecord> result = new ArrayList<>();
      // Without a resource version the server returns the most recent list.
      transport.list(
          ResourceType.of(V1Lease.class).path(namespace),
          Map.of("labelSelector", ReplicaLeaseTable.LABEL + "=" + prefix),
          ApiTransport.JSON,
          result::clear,
          lease -> result.add(new LeaseRecord(lease.tree())));
      return result;
    }

    @Override
    public LeaseStore lease(String name) {
      return new ApiLeaseStore(transport, namespace, name);
    }
  }
}
