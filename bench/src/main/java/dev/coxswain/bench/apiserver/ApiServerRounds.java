// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures the embedded API server. Data directories are made under the temporary folder and
 * deleted again.
 *
 * <p>Thread rule: one thread.
 */
public final class ApiServerRounds {
  /** Clients that watch everything that is written. */
  public static final int WATCHERS = 20;

  /** Connections with one request under way each. */
  public static final int CONNECTIONS = 16;

  /** The budget of the heap. */
  public static final String LARGEST_HEAP = "-Xmx1g";

  private final List<String> jvm;
  private final boolean processes;

  /**
   * Creates a measurement.
   *
   * @param jvm flags of the measured processes
   * @param processes false to run everything in this process, which shows that it works
   */
  public ApiServerRounds(List<String> jvm, boolean processes) {
    this.jvm = List.copyOf(jvm);
    this.processes = processes;
  }

  /**
   * The heap of a server full of objects, in bytes.
   *
   * @param empty after collections, with nothing but namespaces
   * @param full after collections, with all objects
   */
  public record Heap(double empty, double full) {}

  /**
   * Writes of one kind.
   *
   * @param perSecond writes in a second, from the first request until every watcher has every event
   * @param p50Millis median time from a request to its answer
   * @param p99Millis 99th percentile of that
   * @param loadMicros processor time of the load generator for each write
   * @param serverMicros processor time of the server for each write
   */
  public record Writes(
      double perSecond,
      double p50Millis,
      double p99Millis,
      double loadMicros,
      double serverMicros) {}

  /**
   * Starts in one process.
   *
   * @param first milliseconds of the first start, which loads the classes
   * @param later milliseconds of the others
   * @param resumed objects that came back from the data directory
   */
  public record Starts(double first, List<Double> later, int resumed) {}

  /** Fills a server that may not have more than the budget of heap; fails when it does not fit. */
  public Heap heap(int objects) throws IOException {
    List<String> flags = new ArrayList<>(jvm);
    flags.removeIf(flag -> flag.startsWith("-Xms") || flag.startsWith("-Xmx"));
    flags.add(LARGEST_HEAP);
    try (Part server = part(flags, "server", "")) {
      double empty = Double.parseDouble(server.ask("heap"));
      try (Part load = load(server, 0)) {
        load.ask(Phase.CREATE + " 0 " + objects + " " + objects);
      }
      return new Heap(empty, Double.parseDouble(server.ask("heap")));
    }
  }

  /**
   * Creates, updates and patches objects under the eyes of the watchers, after a warm-up with as
   * many of each.
   *
   * @param kept whether the server writes everything to a data directory
   */
  public Map<String, Writes> writes(int writes, boolean kept) throws IOException {
    Map<String, Writes> found = new LinkedHashMap<>();
    Path folder = kept ? Files.createTempDirectory("coxswain-bench") : null;
    try (Part server = part(jvm, "server", folder == null ? "" : folder.toString());
        Part load = load(server, WATCHERS)) {
      for (int pass = 0; pass < 2; pass++) {
        for (Phase phase : Phase.values()) {
          long cpu = Long.parseLong(server.ask("cpu"));
          String[] words =
              load.ask(phase + " " + pass * writes + " " + writes + " " + writes).split(" ", -1);
          double serverMicros = (Long.parseLong(server.ask("cpu")) - cpu) / 1e3 / writes;
          found.put(
              phase.name().toLowerCase(Locale.ROOT),
              new Writes(
                  Double.parseDouble(words[0]),
                  Double.parseDouble(words[1]),
                  Double.parseDouble(words[2]),
                  Double.parseDouble(words[3]),
                  serverMicros));
        }
      }
    } finally {
      delete(folder);
    }
    return found;
  }

  /**
   * Starts servers one after the other in one process.
   *
   * @param objects how many the data directory holds, -1 = there is no directory
   */
  public Starts starts(int times, int objects) throws IOException {
    Path folder = objects < 0 ? null : Files.createTempDirectory("coxswain-bench");
    String name = folder == null ? "" : folder.toString();
    try {
      if (objects > 0) {
        try (Part server = part(jvm, "server", name);
            Part load = load(server, 0)) {
          load.ask(Phase.CREATE + " 0 " + objects + " " + objects);
        }
      }
      try (Part starts = part(jvm, "starts")) {
        double first = 0;
        int resumed = 0;
        List<Double> later = new ArrayList<>();
        for (int i = 0; i <= times; i++) {
          String[] words = starts.ask(name).split(" ", -1);
          double millis = Double.parseDouble(words[0]);
          resumed = Integer.parseInt(words[1]);
          if (i == 0) {
            first = millis;
          } else {
            later.add(millis);
          }
        }
        return new Starts(first, later, resumed);
      }
    } finally {
      delete(folder);
    }
  }

  private Part load(Part server, int watchers) throws IOException {
    return part(jvm, "load", server.ask("url"), "" + CONNECTIONS, "" + watchers);
  }

  private Part part(List<String> flags, String name, String... arguments) throws IOException {
    return processes
        ? new ChildPart(flags, name, List.of(arguments))
        : PartMain.create(name, List.of(arguments));
  }

  private static void delete(@Nullable Path folder) throws IOException {
    if (folder == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(file -> {
            try {
              Files.delete(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
