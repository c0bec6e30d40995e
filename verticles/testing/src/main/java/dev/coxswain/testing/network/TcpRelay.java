// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Passes TCP connections on to an address, and can be cut: a proxy, not a network. What a cut does
 * to connections and bytes is written at each mode.
 *
 * <p>Thread rule: any thread.
 */
public final class TcpRelay implements AutoCloseable {
  private static final int BUFFER = 1 << 14;

  /** As a window of TCP: a sender waits when more than this is on its way. */
  private static final int PIECES = 64;

  private static final int BACKLOG = 512;
  private static final int CONNECT_MILLIS = 2_000;
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  /** What happens to connections. */
  public enum Mode {
    OPEN,
    /**
     * As a broken network: bytes wait and arrive when it is open again, unless the sender has reset
     * the connection meanwhile, which discards what its socket still holds.
     */
    HELD,
    /** As a firewall that rejects: connections are reset, new ones are closed at once. */
    CUT
  }

  /**
   * Bytes on their way.
   *
   * @param due when they arrive
   * @param holdsBefore how often the relay had been held before they were read
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(byte[] bytes, long due, long holdsBefore) {}

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** How often it was held. */
  private final AtomicLong holds = new AtomicLong();

  /** Guarded by {@link #lock}. */
  private Mode mode = Mode.OPEN;

  private volatile Duration delay = Duration.ZERO;

  private TcpRelay(ServerSocket listener, InetSocketAddress target) {
    this.listener = listener;
    this.target = target;
  }

  /**
   * Starts a relay on a free port.
   *
   * @param address the address to listen on
   * @param target where connections go
   */
  public static TcpRelay start(String address, URI target) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(address));
    TcpRelay relay =
        new TcpRelay(listener, new InetSocketAddress(target.getHost(), target.getPort()));
    Thread.ofVirtual().name("relay").start(relay::accept);
    return relay;
  }

  /** Returns the address at which clients reach the target. */
  public URI uri() {
    return URI.create(
        "http://" + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort());
  }

  /** Changes what happens to connections. */
  public void mode(Mode next) {
    if (next == Mode.HELD) {
      holds.incrementAndGet();
    }
    lock.lock();
    try {
      mode = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (next == Mode.CUT) {
      open.forEach(TcpRelay::reset);
    }
  }

  /** Delays bytes in both directions; they stay in order. */
  public void delay(Duration time) {
    delay = time;
  }

  /**
   * Waits while it is held and returns whether bytes may go on.
   *
   * @param from the connection that they came from
   * @param holdsBefore how often it had been held before they were read
   */
  private boolean passes(Socket from, long holdsBefore) throws InterruptedException {
    lock.lock();
    try {
      while (mode == Mode.HELD) {
        changed.await();
      }
      if (mode == Mode.CUT) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    return holds.get() == holdsBefore || !isReset(from);
  }

  /** A socket shows a reset only after the bytes before it were read; the system's table at once. */
  private static boolean isReset(Socket socket) {
    String ports =
        String.format(
            Locale.ROOT, ":%04X [0-9A-F]+:%04X ", socket.getLocalPort(), socket.getPort());
    Pattern pattern = Pattern.compile(ports);
    try {
      for (Path table : TABLES) {
        if (pattern.matcher(Files.readString(table)).find()) {
          return false;
        }
      }
      return true;
    } catch (IOException _) {
      return false; // not a Linux
    }
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket client = listener.accept();
        long before = holds.get();
        Thread.ofVirtual().name("relay").start(() -> connect(client, before));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void connect(Socket client, long holdsBefore) {
    try (client;
        Socket server = new Socket()) {
      if (!passes(client, holdsBefore)) {
        reset(client);
        return;
      }
      server.connect(target, CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      open.add(client);
      open.add(server);
      Thread back = Thread.ofVirtual().name("relay").start(() -> pump(server, client, holdsBefore));
      pump(client, server, holdsBefore);
      back.join();
      open.remove(client);
      open.remove(server);
    } catch (IOException _) {
      reset(client); // the target is not there
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads pieces until the end, which is the last, empty one. */
  private void pump(Socket from, Socket to, long holdsBefore) {
    BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(PIECES);
    Thread writer = Thread.ofVirtual().name("relay").start(() -> write(pieces, from, to));
    byte[] buffer = new byte[BUFFER];
    long before = holdsBefore;
    try {
      InputStream in = from.getInputStream();
      int n = 0;
      while (n >= 0 && writer.isAlive()) {
        n = in.read(buffer);
        long due = System.nanoTime() + delay.toNanos();
        pieces.put(new Piece(Arrays.copyOf(buffer, Math.max(0, n)), due, before));
        before = holds.get();
      }
      writer.join();
    } catch (IOException _) {
      reset(from);
      reset(to);
      writer.interrupt();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(BlockingQueue<Piece> pieces, Socket from, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      while (true) {
        Piece piece = pieces.take();
        Thread.sleep(Duration.ofNanos(Math.max(0, piece.due - System.nanoTime())));
        if (!passes(from, piece.holdsBefore)) {
          throw new IOException("cut");
        }
        if (piece.bytes.length == 0) {
          to.shutdownOutput();
          return;
        }
        out.write(piece.bytes);
      }
    } catch (IOException _) {
      reset(from);
      reset(to);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException _) {
      // closed already
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    mode(Mode.CUT);
  }
}
