// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.LimiterStatus.State;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
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
 * Keeps a Hazelcast member running. It retries a start that failed and replaces a member when
 * {@link MemberRestartPolicy} requires it.
 *
 * <p>Thread rule: any thread; only the supervisor's own thread blocks. Each failure is logged once
 * when it begins and once when it ends.
 */
final class MemberSupervisor {
  private static final Logger log = LoggerFactory.getLogger(MemberSupervisor.class);
  private static final long CHECK_NANOS = 1_000_000_000;
  private static final int CONNECT_MILLIS = 1_000;

  private final MemberOptions options;
  private final ReplicaView view;
  private final Clock clock;
  private final Consumer<String> joined;
  private final MemberRestartPolicy restartPolicy =
      new MemberRestartPolicy(RandomGenerator.getDefault());
  private final Promise<Void> first = Promise.promise();
  private final CountDownLatch stop = new CountDownLatch(1);

  private volatile State state = State.NEW;
  private volatile @Nullable PoolMember member;
  private boolean failing;
  private boolean announced;
  private boolean publishFailed;

  MemberSupervisor(MemberOptions options, ReplicaView view, Clock clock, Consumer<String> joined) {
    this.options = options;
    this.view = view;
    this.clock = clock;
    this.joined = joined;
  }

  State state() {
    return state;
  }

  /** Returns the running member, or null. */
  @Nullable PoolMember member() {
    return member;
  }

  /**
   * Starts the first member. The future fails when that start fails; the start is then retried.
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

  /** Stops the supervisor and returns the running member, which the caller must shut down. */
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

  /** Starts or checks the member, and returns the pause until the next step. */
  private long step() {
    PoolMember running = member;
    if (running == null) {
      try {
        begin();
        return 0; // checked at once: it may have joined without a master
      } catch (RuntimeException
          | LinkageError
          | OutOfMemoryError e) { // also when no thread can be created
        failed(e);
        return restartPolicy.pauseAfterFailure();
      }
    }
    try {
      announce(running);
      String reason = restartReason(running);
      if (reason == null) {
        return CHECK_NANOS;
      }
      log.atWarn()
          .addKeyValue("address", running.address())
          .addKeyValue("reason", reason)
          .log("restarting shared limiter member");
      replace(running);
      return 0;
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // retried after a second
      log.atDebug()
          .addKeyValue("error", e.toString())
          .log("state of the shared limiter member unavailable");
      return CHECK_NANOS;
    }
  }

  private @Nullable String restartReason(PoolMember running) {
    if (!running.isRunning()) {
      return "Hazelcast has stopped the member";
    }
    if (running.lacksMaster()) {
      return "the member has joined without a master";
    }
    return restartPolicy.restartReason(
        running.owner().hasMajority(view.liveReplicas()),
        running.members(),
        view.memberAddresses(),
        address -> view.joinableAddresses().contains(address) && reachable(address),
        clock.nanos());
  }

  private void replace(PoolMember running) {
    synchronized (this) {
      if (state == State.STOPPED) {
        return; // the caller of stop shuts it down
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
    restartPolicy.started(clock.nanos());
    log.atInfo()
        .addKeyValue("cluster", options.generationName())
        .addKeyValue("address", made.address())
        .addKeyValue("members", made.members().size())
        .log("shared limiter joined");
    announce(made);
    first.tryComplete();
  }

  /** Publishes the address, and retries until it succeeds; the member runs meanwhile. */
  private void announce(PoolMember running) {
    if (announced) {
      return;
    }
    try {
      joined.accept(running.address());
      announced = true;
    } catch (RuntimeException | LinkageError e) { // retried at the next check
      if (!publishFailed) {
        log.atError()
            .addKeyValue("address", running.address())
            .setCause(e)
            .log("publishing the address of the shared limiter member failed, retrying");
      }
      publishFailed = true;
      return;
    }
    if (publishFailed) {
      publishFailed = false;
      log.atInfo()
          .addKeyValue("address", running.address())
          .log("address of the shared limiter member published");
    }
  }

  private void failed(Throwable e) {
    synchronized (this) {
      if (state == State.STOPPED) {
        return; // not needed any more
      }
      state = State.FAILED;
    }
    // The failure of the first start is reported by the caller of start.
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
      return false; // nothing listens there
    }
  }
}
