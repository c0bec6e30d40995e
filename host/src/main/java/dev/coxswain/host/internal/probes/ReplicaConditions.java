// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import dev.coxswain.controller.Conditions;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The conditions of a whole replica: no answer from its API server or from those of other clusters,
 * and a replica Lease that it has not renewed in time. They are raised at its controllers, too, since
 * each of them is affected; but not that of another cluster, which the sources of those that use it
 * show.
 *
 * <p>Thread rule: started and stopped on the host's event loop, read from any thread.
 */
public final class ReplicaConditions implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaConditions.class);

  /** A look at the answers. */
  private static final long PERIOD_MILLIS = 1_000;

  /** Without any answer for so long, one is requested: an idle replica sends nothing by itself. */
  private static final long QUIET = Duration.ofSeconds(4).toNanos();

  private static final long UNREACHABLE = Duration.ofSeconds(8).toNanos();

  /** So many requests must have had their chance: a process that was suspended has sent none. */
  private static final int PROBES = 4;

  private final Vertx vertx;
  private final Answers server;
  private final Map<String, Answers> clusters = new TreeMap<>();
  private final Supplier<ReplicaPhase> phase;
  private final BiConsumer<ConditionType, @Nullable String> controllers;
  private final String replica;
  private final Clock clock;
  private final Conditions own;

  private long timer = -1;

  /**
   * The API server as this replica experiences it.
   *
   * @param address its address
   * @param used whether the replica needs it
   * @param answers returns how many requests it has answered
   * @param probe sends it a small request; does not block
   */
  public record Server(
      String address, BooleanSupplier used, LongSupplier answers, Runnable probe) {}

  /** What one server has answered. Confined to the host's event loop. */
  private static final class Answers {
    private final Server server;
    private long count;
    private long lastAt;
    private int probes;

    Answers(Server server) {
      this.server = server;
    }

    /** Returns since how many nanoseconds the server has not answered, or -1 while that is no problem. */
    long silence(long now) {
      long answered = server.answers().getAsLong();
      if (answered != count || !server.used().getAsBoolean()) {
        count = answered;
        lastAt = now;
      }
      long quiet = now - lastAt;
      boolean silent = quiet >= UNREACHABLE && probes >= PROBES;
      if (quiet < QUIET) {
        probes = 0;
      } else {
        probes++;
        server.probe().run();
      }
      return silent ? quiet : -1;
    }
  }

  /**
   * Creates the conditions, which are empty before the start.
   *
   * @param server the API server of the host
   * @param clusters those of other clusters, by name
   * @param phase returns the right of the replica to own slots
   * @param controllers receives each condition, with null when it does not hold
   */
  public ReplicaConditions(
      Vertx vertx,
      String replica,
      Server server,
      Map<String, Server> clusters,
      Supplier<ReplicaPhase> phase,
      BiConsumer<ConditionType, @Nullable String> controllers,
      Clock clock) {
    this.vertx = vertx;
    this.replica = replica;
    this.server = new Answers(server);
    clusters.forEach((name, one) -> this.clusters.put(name, new Answers(one)));
    this.phase = phase;
    this.controllers = controllers;
    this.clock = clock;
    this.own = new Conditions(replica, clock);
  }

  @Override
  public String name() {
    return "replica-conditions";
  }

  @Override
  public Future<?> start() {
    server.lastAt = clock.nanos();
    clusters.values().forEach(one -> one.lastAt = clock.nanos());
    timer = vertx.setPeriodic(PERIOD_MILLIS, _ -> look());
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
    }
    return Future.succeededFuture();
  }

  /** Returns the conditions that hold. */
  public List<Condition> all() {
    return own.all();
  }

  /** Compares the answers with those before. Confined to the host's event loop. */
  void look() {
    long now = clock.nanos();
    long silence = server.silence(now);
    set(
        ConditionType.API_SERVER_UNREACHABLE,
        silence < 0
            ? null
            : unreachable(server, "", silence) + ", and attempts that need it fail.");
    List<String> silent = new ArrayList<>();
    clusters.forEach((name, one) -> {
      long quiet = one.silence(now);
      if (quiet >= 0) {
        silent.add(unreachable(one, " of cluster " + name, quiet) + ".");
      }
    });
    set(
        ConditionType.CLUSTER_UNREACHABLE,
        silent.isEmpty()
            ? null
            : String.join(" ", silent) + " Attempts that need it fail; the others go on.");
    set(ConditionType.REPLICA_SUSPENDED, suspended(phase.get()));
  }

  private void set(ConditionType type, @Nullable String message) {
    boolean before = own.has(type);
    if (message == null && !before) {
      return;
    }
    own.set(type, message);
    if (message == null) {
      LOG.atInfo().addKeyValue("condition", type.label()).log("replica condition cleared");
    } else if (!before) {
      LOG.atWarn()
          .addKeyValue("condition", type.label())
          .addKeyValue("reason", message)
          .log("replica condition raised");
    }
    if (type != ConditionType.CLUSTER_UNREACHABLE) {
      controllers.accept(type, message);
    }
  }

  private String unreachable(Answers of, String which, long quiet) {
    return "The API server%s at %s has not answered replica %s since %s: changes do not arrive"
        .formatted(
            which,
            of.server.address(),
            replica,
            clock.instant().minusNanos(quiet).truncatedTo(ChronoUnit.SECONDS));
  }

  private @Nullable String suspended(ReplicaPhase now) {
    return switch (now) {
      case SUSPENDED ->
          "Replica %s has not renewed its Lease in time and starts nothing before it has; other replicas take its work over when the Lease has ended."
              .formatted(replica);
      case LOST ->
          "Replica %s has lost its Lease and starts nothing before it has another one."
              .formatted(replica);
      case JOINING, HOLDING, LEAVING, ENDED -> null;
    };
  }
}
