// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

import dev.coxswain.testing.process.Machine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Records the attempts of a measured process and reports them to the driver: one connection, lines of text. Depends
 * on the JDK only. All times are those of the wall clock in nanoseconds, which both processes read on one machine.
 *
 * <p>It sends {@code created TIME} with the first controller, and {@code all TIME} when as many objects as expected
 * have been reconciled once: at first all, then those of a phase. It answers {@code expect PHASE COUNT} with {@code
 * ok}, {@code latencies PHASE} and {@code attempts NAME} with numbers, {@code heap} with the bytes that are used
 * after collections.
 *
 * <p>Thread rule: any thread.
 */
public final class Probe {
  /** In the data of an object: which phase of the measurement wrote it last. */
  public static final String PHASE = "phase";

  /** In the data of an object: when it was written. */
  public static final String SENT = "sent";

  /** In the data of an object: how many of its attempts fail. */
  public static final String FAILURES = "failures";

  /** The objects of one phase: the time of the first attempt of each, less the time of the write. */
  private record Phase(
      String name, int expected, AtomicInteger count, Map<String, Long> latencies) {
    static Phase of(String name, int expected) {
      return new Phase(name, expected, new AtomicInteger(), new ConcurrentHashMap<>());
    }
  }

  private final Writer out;
  private final BufferedReader in;
  private final Map<String, List<Long>> failing = new ConcurrentHashMap<>();
  private final AtomicInteger controllers = new AtomicInteger();

  /** The first phase has no name: it counts all objects. */
  private volatile Phase phase;

  private Probe(Socket socket, int objects) throws IOException {
    out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    phase = Phase.of("", objects);
  }

  /** Connects to the driver. */
  public static Probe connect(SubjectSettings settings) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), settings.port());
      socket.setTcpNoDelay(true);
      Probe probe = new Probe(socket, settings.objects());
      Thread.ofPlatform()
          .daemon()
          .name("bench-probe")
          .uncaughtExceptionHandler((_, error) -> end(error))
          .start(probe::serve);
      return probe;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the wall clock in nanoseconds. */
  public static long now() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /** Reports that a controller is being created; the first call counts. */
  public void created() {
    if (controllers.getAndIncrement() == 0) {
      send("created " + now());
    }
  }

  /**
   * Records an attempt.
   *
   * @param data of the object
   * @throws IOException when this attempt of the object shall fail
   */
  public void attempt(String name, Map<String, String> data) throws IOException {
    long now = now();
    Phase current = phase;
    if (current.name.isEmpty() || current.name.equals(data.get(PHASE))) {
      long sent = Long.parseLong(data.getOrDefault(SENT, "0"));
      if (current.latencies.putIfAbsent(name, now - sent) == null
          && current.count.incrementAndGet() == current.expected) {
        send("all " + now);
      }
    }
    String failures = data.get(FAILURES);
    if (failures != null && current.name.equals(data.get(PHASE))) {
      List<Long> times = failing.computeIfAbsent(name, _ -> new CopyOnWriteArrayList<>());
      times.add(now);
      if (times.size() <= Integer.parseInt(failures)) {
        throw new IOException("fails on purpose");
      }
    }
  }

  private void serve() {
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        send(answer(line.split(" ", -1)));
      }
    } catch (IOException e) {
      // the driver has ended
    }
    System.exit(0);
  }

  /** The driver sees the end at once; it would wait for an answer until its limit. */
  private static void end(Throwable error) {
    error.printStackTrace();
    System.exit(1);
  }

  private String answer(String... words) {
    return switch (words[0]) {
      case "expect" -> {
        phase = Phase.of(words[1], Integer.parseInt(words[2]));
        yield "ok";
      }
      case "latencies" -> numbers(phase.latencies.values());
      case "attempts" -> numbers(failing.getOrDefault(words[1], List.of()));
      case "heap" -> Long.toString(Machine.usedAfterCollection());
      default -> "unknown " + words[0];
    };
  }

  private static String numbers(Collection<Long> values) {
    return values.stream().map(value -> Long.toString(value)).collect(Collectors.joining(" "));
  }

  private void send(String line) {
    try {
      synchronized (out) {
        out.write(line + "\n");
        out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
