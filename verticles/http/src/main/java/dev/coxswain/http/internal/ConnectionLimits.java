// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the connections of one HTTP server within {@link ConnectionBounds}. When a share is used
 * up, the connection of that share that has waited longest without a request is closed in favour of
 * the new one, so idle connections never lock a client out; when none waits, the new one is closed.
 *
 * <p>With the idle timeout of the server alone, a client could keep a connection open by sending a
 * byte now and then: here only a complete request head counts.
 *
 * <p>Thread rule: confined to the event loop of the server.
 */
public final class ConnectionLimits {

  private static final Logger log = LoggerFactory.getLogger(ConnectionLimits.class);

  /** Refused connections are logged once in this time, with their number. */
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Vertx vertx;
  private final String server;
  private final ConnectionBounds bounds;
  private final Consumer<ConnectionRefusal> onRefusal;

  /** In the order in which their wait began. */
  private final Map<HttpConnection, Entry> open = new LinkedHashMap<>();

  private final Map<String, Integer> unknownByAddress = new HashMap<>();
  private int unknown;
  private @Nullable Long reportedAt;
  private long unreported;

  /**
   * Creates the limits of a server.
   *
   * @param server its name in the log
   * @param onRefusal receives each refusal, to count it; must not throw
   */
  public ConnectionLimits(
      Vertx vertx, String server, ConnectionBounds bounds, Consumer<ConnectionRefusal> onRefusal) {
    this.vertx = vertx;
    this.server = server;
    this.bounds = bounds;
    this.onRefusal = onRefusal;
  }

  /** Admits a new connection, or closes it; to be set as the connection handler of the server. */
  public void opened(HttpConnection connection) {
    String address = address(connection);
    if (!makeRoom(address)) {
      connection.close();
      return;
    }
    Entry entry = new Entry(connection, address);
    open.put(connection, entry);
    unknown++;
    unknownByAddress.merge(address, 1, Integer::sum);
    entry.await(bounds.firstRequest().toNanos());
    connection.closeHandler(closed -> removed(entry));
  }

  /** A complete request head has arrived. */
  public void requested(HttpConnection connection) {
    Entry entry = open.get(connection);
    if (entry != null) {
      entry.requests++;
    }
  }

  /** The request was accepted: the connection leaves the share of the unknown ones for good. */
  public void accepted(HttpConnection connection) {
    Entry entry = open.get(connection);
    if (entry != null && !entry.accepted) {
      entry.accepted = true;
      forgetUnknown(entry);
    }
  }

  /** A request was refused for its credentials. */
  public void loginFailed(HttpConnection connection) {
    Entry entry = open.get(connection);
    if (entry != null) {
      entry.failedLogins++;
    }
  }

  /** Returns how many requests of a connection were refused for their credentials. */
  public int failedLogins(HttpConnection connection) {
    Entry entry = open.get(connection);
    return entry == null ? 0 : entry.failedLogins;
  }

  /** A request has been answered; the wait for the next one begins. */
  public void answered(HttpConnection connection) {
    Entry entry = open.get(connection);
    if (entry == null || --entry.requests > 0) {
      return;
    }
    open.remove(connection); // to the end of the order
    open.put(connection, entry);
    if (entry.accepted) {
      entry.await(bounds.idle().toNanos());
    } else if (entry.timer == null) {
      close(entry, ConnectionRefusal.SLOW); // its time ran out while it was being answered
    }
  }

  /** Returns how many connections are open. */
  public int size() {
    return open.size();
  }

  private boolean makeRoom(String address) {
    if (unknownByAddress.getOrDefault(address, 0) >= bounds.unknownPerAddress()) {
      return closeOldest(
          one -> !one.accepted && one.address.equals(address), ConnectionRefusal.ADDRESS, address);
    }
    if (unknown >= bounds.unknown()) {
      int most = unknownByAddress.values().stream().mapToInt(Integer::intValue).max().orElse(0);
      return closeOldest(
          one -> !one.accepted && unknownByAddress.getOrDefault(one.address, 0) == most,
          ConnectionRefusal.UNKNOWN,
          address);
    }
    return open.size() < bounds.total()
        || closeOldest(one -> true, ConnectionRefusal.TOTAL, address);
  }

  private boolean closeOldest(Predicate<Entry> share, ConnectionRefusal why, String address) {
    for (Entry entry : open.values()) {
      if (entry.requests == 0 && share.test(entry)) {
        close(entry, why);
        return true;
      }
    }
    count(why, address);
    return false;
  }

  private void close(Entry entry, ConnectionRefusal why) {
    removed(entry);
    count(why, entry.address);
    entry.connection.close();
  }

  private void removed(Entry entry) {
    if (open.remove(entry.connection, entry)) {
      if (!entry.accepted) {
        forgetUnknown(entry);
      }
      if (entry.timer != null) {
        vertx.cancelTimer(entry.timer);
        entry.timer = null;
      }
    }
  }

  private void forgetUnknown(Entry entry) {
    unknown--;
    unknownByAddress.computeIfPresent(entry.address, (a, n) -> n == 1 ? null : n - 1);
  }

  void count(ConnectionRefusal why, String address) {
    onRefusal.accept(why);
    if (why == ConnectionRefusal.SLOW) {
      log.atDebug().addKeyValue("server", server).log("slow connection closed");
      return;
    }
    unreported++;
    long now = System.nanoTime();
    if (reportedAt == null || now - reportedAt >= REPORT_NANOS) {
      log.atWarn()
          .addKeyValue("server", server)
          .addKeyValue("limit", why.label())
          .addKeyValue("remote", address)
          .addKeyValue("refused", unreported)
          .log("connections refused");
      reportedAt = now;
      unreported = 0;
    }
  }

  private static String address(HttpConnection connection) {
    SocketAddress remote = connection.remoteAddress();
    String address = remote == null ? null : remote.hostAddress();
    return address == null ? "" : address;
  }

  /**
   * One connection. Its timer goes on from one wait to the next and is set anew only when it fires:
   * a request costs no timer. Later waits are never shorter.
   */
  private final class Entry {

    private final HttpConnection connection;
    private final String address;
    private boolean accepted;
    private int requests;
    private int failedLogins;
    private long until;
    private @Nullable Long timer;

    Entry(HttpConnection connection, String address) {
      this.connection = connection;
      this.address = address;
    }

    void await(long nanos) {
      // Not the injected clock: Vert.x timers use this one.
      until = System.nanoTime() + nanos;
      if (timer == null) {
        timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), id -> fired());
      }
    }

    private void fired() {
      timer = null;
      if (requests > 0) {
        return; // the next wait begins, or the connection ends, after the response
      }
      long left = until - System.nanoTime();
      if (left > 0) {
        timer = vertx.setTimer(TimeUnit.NANOSECONDS.toMillis(left) + 1, id -> fired());
      } else {
        close(this, ConnectionRefusal.SLOW);
      }
    }
  }
}
