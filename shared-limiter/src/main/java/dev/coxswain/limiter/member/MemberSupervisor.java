// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.member;

import dev.coxswain.limiter.LimiterStatus.State;
import dev.coxswain.limiter.MemberOptions;
import dev.coxswain.limiter.ReplicaView;
import dev.coxswain.limiter.internal.hazelcast.MemberOwner;
import dev.coxswain.limiter.internal.hazelcast.PoolMember;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a Hazelcast member running: one that cannot start is tried again, and one that is of no use
 * any more is replaced, as {@link MemberRestartPolicy} says.
 *
 * <p>Thread rule: any thread; nothing blocks but the supervisor's own thread. Each trouble is
 * reported once, when it begins and when it is over.
 */
final class MemberSupervisor {
  private static final Logger log = LoggerFactory.getLogger(MemberSupervisor.class);
  private static final long LOOK_NANOS = 1_000_000_000;
  private static final int CONNECT_MILLIS = 1_000;

  private final MemberOptions options;
  private final ReplicaView view;
  private final Clock clock;
  private final Consumer<String> joined;
  private final MemberRestartPolicy rule = new MemberRestartPolicy(RandomGenerator.getDefault());
  private final Promise<Void> first = Promise.promise();
  private final CountDownLatch stop = new CountDownLatch(1);

  private volatile State state = State.NEW;
  private volatile @Nullable PoolMember member;
  private boolean failing;
  private boolean announced;
  private boolean untold;

  MemberSupervisor(MemberOptions options, ReplicaView view, Clock clock, Consumer<String> joined) {
    this.options = options;
    this.view = view;
    this.clock = clock;
    this.joined = joined;
  }

  State state() {
    return state;
  }

  /** Returns the member that runs, or null. */
  @Nullable PoolMember member() {
    return member;
  }

  /**
   * Starts the first member. The future fails when that one cannot be started; it is tried again
   * then.
   */
  Future<Void> start() {
    synchronized (this) {
      if (state != State.NEW) {
        return Future.failedFuture(new IllegalStateException("the member is " + state));
      }
      state = State.STARTING;
    }
    Thread.ofPlatform().daemon().name("coxswain-limiter-member").start(this::run);
    return first.future();
  }

  /** Returns the member that ran, for its owner to shut down; none is started any more. */
  @Nullable PoolMember stop() {
    PoolMember running;
    synchronized (this) {
      state = State.STOPPED;
      running = member;
      member = null;
    }
    stop.countDown();
    return running;
  }

  private void run() {
    try {
      long wait;
      do {
        wait = step();
      } while (!stop.await(wait, TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how long to wait for the next one. */
  private long step() {
    PoolMember running = member;
    if (running == null) {
      try {
        begin();
        return 0; // it is looked at right away: it may not have joined well
      } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // also: no thread to be had
        failed(e);
        return rule.pauseAfterFailure();
      }
    }
    try {
      announce(running);
      String why = why(running);
      if (why == null) {
        return LOOK_NANOS;
      }
      log.atWarn()
          .addKeyValue("address", running.address())
          .addKeyValue("why", why)
          .log("restarting shared limiter member to join the cluster again");
      replace(running);
      return 0;
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // again in a second
      log.atDebug()
          .addKeyValue("error", e.toString())
          .log("state of the shared limiter member unavailable");
      return LOOK_NANOS;
    }
  }

  private @Nullable String why(PoolMember running) {
    if (!running.isRunning()) {
      return "Hazelcast has ended it";
    }
    if (running.lacksMaster()) {
      return "it has joined and knows no master";
    }
    return rule.why(
        running.owner().hasMajority(view.liveReplicas()),
        running.members(),
        view.memberAddresses(),
        address -> view.joinableAddresses().contains(address) && reachable(address),
        clock.nanos());
  }

  private void replace(PoolMember running) {
    synchronized (this) {
      if (state == State.STOPPED) {
        return; // whoever stops it has it
      }
      member = null;
      state = State.STARTING;
    }
    running.terminate();
  }

  private void begin() {
    PoolMember made = PoolMember.start(options, view, new MemberOwner(view, clock));
    boolean used;
    synchronized (this) {
      used = state != State.STOPPED;
      if (used) {
        member = made;
        state = State.RUNNING;
      }
    }
    if (!used) { // stopped meanwhile
      made.shutdown();
      first.tryFail("the member was stopped");
      return;
    }
    failing = false;
    announced = false;
    rule.started(clock.nanos());
    log.atInfo()
        .addKeyValue("cluster", options.generationName())
        .addKeyValue("address", made.address())
        .addKeyValue("members", made.members().size())
        .log("shared limiter joined");
    announce(made);
    first.tryComplete();
  }

  /** Tells the address until it has been taken; the member runs all the same. */
  private void announce(PoolMember running) {
    if (announced) {
      return;
    }
    try {
      joined.accept(running.address());
      announced = true;
    } catch (RuntimeException | LinkageError e) { // told again at the next look
      if (!untold) {
        log.atError()
            .addKeyValue("address", running.address())
            .setCause(e)
            .log("address of the shared limiter member could not be published, retrying");
      }
      untold = true;
      return;
    }
    if (untold) {
      untold = false;
      log.atInfo()
          .addKeyValue("address", running.address())
          .log("address of the shared limiter member published again");
    }
  }

  private void failed(Throwable e) {
    synchronized (this) {
      if (state == State.STOPPED) {
        return; // nobody needs it any more
      }
      state = State.FAILED;
    }
    // Whoever waits for the first start reports that one.
    if (!first.tryFail(e) && !failing) {
      log.atError().setCause(e).log("shared limiter member failed to start, retrying");
    }
    failing = true;
  }

  private static boolean reachable(String address) {
    int colon = address.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
          CONNECT_MILLIS);
      return true;
    } catch (IOException | RuntimeException e) {
      return false; // whatever was announced, there is nobody
    }
  }
}
