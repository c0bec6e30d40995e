// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lines of replicas with one attempt each: key, epoch, the counter in the object, and the monotonic
 * times of begin and end, which the processes of a machine share.
 */
public final class AttemptLines {

  private static final String WORD = "ATTEMPT";

  private AttemptLines() {}

  /** One attempt; the process is the number of its replica. */
  public record Attempt(int process, String key, long epoch, String count, long begin, long end) {}

  /** Prints an attempt that ends now. */
  public static void print(String key, long epoch, String count, long begin) {
    System.out.print( // one write, so that lines of the log do not get between
        String.join(
                " ",
                WORD,
                key,
                Long.toString(epoch),
                count,
                Long.toString(begin),
                Long.toString(System.nanoTime()))
            + "\n");
    System.out.flush();
  }

  /** Returns the attempts of all replicas. */
  public static List<Attempt> read(List<Launcher> replicas) throws IOException {
    List<Attempt> found = new ArrayList<>();
    for (int process = 0; process < replicas.size(); process++) {
      String output = replicas.get(process).output();
      for (String line : output.substring(0, output.lastIndexOf('\n') + 1).split("\n", -1)) {
        String[] words = line.split(" ", -1);
        if (words.length == 6 && words[0].equals(WORD)) {
          found.add(
              new Attempt(
                  process,
                  words[1],
                  Long.parseLong(words[2]),
                  words[3],
                  Long.parseLong(words[4]),
                  Long.parseLong(words[5])));
        }
      }
    }
    return found;
  }

  /** Returns where an epoch falls, is that of two processes, or attempts of a key overlap. */
  public static List<String> violations(List<Attempt> attempts) {
    Map<String, Attempt> last = new HashMap<>();
    List<String> violations = new ArrayList<>();
    attempts.stream()
        .sorted(Comparator.comparingLong(Attempt::begin))
        .forEach(attempt -> {
          Attempt before = last.put(attempt.key(), attempt);
          if (before == null) {
            return;
          }
          boolean same = before.process() == attempt.process();
          if (attempt.epoch() < before.epoch() || (!same && attempt.epoch() == before.epoch())) {
            violations.add("epoch: " + before + ", then " + attempt);
          }
          if (attempt.begin() < before.end()) {
            violations.add("at once: " + before + ", " + attempt);
          }
        });
    return violations;
  }
}
