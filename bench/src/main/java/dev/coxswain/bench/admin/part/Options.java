// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.part;

import dev.coxswain.bench.run.Arguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The options of a run.
 *
 * @param app an installed copy
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
    Path app,
    Path out,
    int replicas,
    int items,
    int busy,
    int seconds,
    int warmUp,
    int rounds,
    int mostSteal,
    boolean startCache) {

  /** Returns the options on the command line and their defaults. */
  public static Map<String, String> defaults(boolean quick) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", "", "replicas", "3"));
    values.put("items", quick ? "30000" : "1000000");
    values.put("busy", quick ? "500" : "2000");
    values.put("seconds", quick ? "3" : "5");
    values.put("warm-up", quick ? "3" : "20");
    values.put("rounds", quick ? "1" : "12");
    values.put("most-steal", "2");
    values.put("no-start-cache", "false");
    return values;
  }

  public static Options of(Arguments arguments) throws IOException {
    Path out = Files.createDirectories(Path.of(arguments.text("out")).toAbsolutePath());
    return new Options(
        Path.of(arguments.text("app")),
        out,
        arguments.number("replicas"),
        arguments.number("items"),
        arguments.number("busy"),
        arguments.number("seconds"),
        arguments.number("warm-up"),
        arguments.number("rounds"),
        arguments.number("most-steal"),
        !arguments.has("no-start-cache"));
  }

  /** Returns how many items wait on each replica. */
  public int itemsOfReplica() {
    return items / replicas;
  }
}
