// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.part;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a run is made with.
 *
 * @param launcher {@code host/bin/coxswain}
 * @param jar with the controllers
 * @param out the folder for everything that is kept
 * @param replicas how many processes
 * @param items how many items wait, over all of them
 * @param busy how many requests each of them reconciles a second
 * @param seconds how long each half of a part lasts
 * @param warmUp for how many seconds each kind of call is made before
 * @param rounds how often all parts are measured
 * @param mostSteal which share of all cores the machine may take, in percent, for an attempt to
 *     count
 * @param startCache whether a start cache is made, with which the replicas start
 */
public record Options(
    Path launcher,
    Path jar,
    Path out,
    int replicas,
    int items,
    int busy,
    int seconds,
    int warmUp,
    int rounds,
    int mostSteal,
    boolean startCache) {
  private static final String NO_START_CACHE = "--no-start-cache";

  public static Options parse(String... args) throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "replicas", "3",
                "items", "1000000",
                "busy", "2000",
                "seconds", "5",
                "warm-up", "20",
                "rounds", "12",
                "most-steal", "2"));
    Set<String> known = new HashSet<>(values.keySet());
    known.addAll(Set.of("launcher", "jar", "out"));
    boolean startCache = true;
    for (String arg : args) {
      if (arg.equals(NO_START_CACHE)) {
        startCache = false;
        continue;
      }
      int equals = arg.indexOf('=');
      String name = equals < 0 ? arg : arg.substring(0, equals);
      if (equals < 0 || !name.startsWith("--") || !known.contains(name.substring(2))) {
        throw new IllegalArgumentException("unknown argument \"" + arg + "\"");
      }
      values.put(name.substring(2), arg.substring(equals + 1));
    }
    Path out = Path.of(required(values, "out")).toAbsolutePath();
    Files.createDirectories(out);
    return new Options(
        Path.of(required(values, "launcher")),
        Path.of(required(values, "jar")),
        out,
        number(values, "replicas"),
        number(values, "items"),
        number(values, "busy"),
        number(values, "seconds"),
        number(values, "warm-up"),
        number(values, "rounds"),
        number(values, "most-steal"),
        startCache);
  }

  /** Returns how many items wait on each replica. */
  public int itemsOfReplica() {
    return items / replicas;
  }

  private static String required(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + " is missing");
    }
    return value;
  }

  private static int number(Map<String, String> values, String name) {
    String value = required(values, name);
    try {
      int number = Integer.parseInt(value);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(
        "--" + name + ": expected a number above 0, found \"" + value + "\"");
  }
}
