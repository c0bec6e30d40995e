// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Writers and watchers of one server, all on the calling thread: the less the load generator costs,
 * the more of the machine is the server's. One thread.
 */
final class Load implements AutoCloseable {
  private static final int READ_AT_ONCE = 256 * 1024;
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Selector selector = Selector.open();
  private final List<WriterConnection> writers = new ArrayList<>();
  private final List<WatchStream> watches = new ArrayList<>();
  private final long deadline = System.nanoTime() + LIMIT_NANOS;
  private Phase phase = Phase.CREATE;
  private int objects;
  private int next;
  private int last;
  private int answered;
  private int revision;
  private long[] nanos = new long[0];

  /** Connects everything and waits until all watches are open. */
  Load(String url, int connections, int watchers) throws IOException {
    URI uri = URI.create(url);
    InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
    byte[] shared = new byte[READ_AT_ONCE];
    for (int i = 0; i < watchers; i++) {
      watches.add(new WatchStream(address, selector, shared));
    }
    for (int i = 0; i < connections; i++) {
      writers.add(new WriterConnection(address, selector));
    }
    while (!watches.stream().allMatch(WatchStream::open)) {
      turn(0);
    }
  }

  /**
   * What a phase showed.
   *
   * @param perSecond writes in a second, from the first request until every watcher has every event
   * @param p50Millis median time from a request to its answer
   * @param p99Millis 99th percentile of that
   */
  record Figures(double perSecond, double p50Millis, double p99Millis) {}

  /**
   * Writes, and waits until every watcher has an event for each write.
   *
   * @param from number of the first object
   * @param objects how many objects take turns
   * @param writes how many writes in all
   */
  Figures run(Phase phase, int from, int objects, int writes) throws IOException {
    this.phase = phase;
    this.objects = objects;
    next = 0;
    last = writes;
    answered = 0;
    revision++;
    nanos = new long[writes];
    watches.forEach(WatchStream::reset);
    long begin = System.nanoTime();
    for (WriterConnection writer : writers) {
      if (next < last) {
        writer.send(request(from));
      }
    }
    while (answered < writes || !watches.stream().allMatch(w -> w.events() >= writes)) {
      turn(from);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    check(writes);
    Arrays.sort(nanos);
    return new Figures(
        writes / seconds, nanos[writes / 2] / 1e6, nanos[(int) (writes * 0.99)] / 1e6);
  }

  private byte[] request(int from) {
    int index = next++;
    if (index > 0 && index % objects == 0) {
      revision++; // the same object again, so it must differ from the last time
    }
    return phase.request(from + index % objects, revision);
  }

  private void turn(int from) throws IOException {
    if (System.nanoTime() > deadline) {
      throw new IOException(
          answered + " of " + last + " writes were answered, watchers have " + counts());
    }
    selector.select(1_000);
    for (SelectionKey key : selector.selectedKeys()) {
      if (key.attachment() instanceof WatchStream watch) {
        watch.read();
      } else if (key.attachment() instanceof WriterConnection writer) {
        if (key.isWritable()) {
          writer.flush();
        }
        if (key.isReadable()) {
          answer(writer, from);
        }
      }
    }
    selector.selectedKeys().clear();
  }

  private void answer(WriterConnection writer, int from) throws IOException {
    long took = writer.read(phase.status());
    if (took >= 0) {
      nanos[answered++] = took;
      if (next < last) {
        writer.send(request(from));
      }
    }
  }

  /** Every watcher has each event once, and all have the same ones. */
  private void check(int writes) throws IOException {
    boolean each = watches.stream().allMatch(w -> w.events() == writes);
    boolean same = watches.stream().mapToLong(WatchStream::bytes).distinct().count() <= 1;
    if (!each || !same) {
      throw new IOException(writes + " writes, but the watchers have " + counts());
    }
  }

  private String counts() {
    return watches.stream().map(w -> w.events() + " events of " + w.bytes() + " B").toList() + "";
  }

  @Override
  public void close() throws IOException {
    for (WriterConnection writer : writers) {
      writer.close();
    }
    for (WatchStream watch : watches) {
      watch.close();
    }
    selector.close();
  }
}
