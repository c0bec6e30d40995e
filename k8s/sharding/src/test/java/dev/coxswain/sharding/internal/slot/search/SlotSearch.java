// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A search of all states, breadth first, so a schedule that it finds has the fewest actions; or of a
 * random part of them at any depth.
 */
final class SlotSearch {

  /** More states than the heap of a test has room for. */
  private static final int LIMIT = Integer.getInteger("coxswain.search.states", 12_000_000);

  private static final Pattern NAME = Pattern.compile("\\b([a-c])([0-9])\\b");

  private final SearchOptions options;
  private final StateSpace space;
  private final StateTable table;
  private final Coverage coverage = new Coverage();
  private final LongAdder transitions = new LongAdder();
  private volatile String violation = "";
  private int last;
  private int lastLabel;
  private int actions;
  private boolean complete;
  private int breadth = Integer.MAX_VALUE;
  private long seed;

  SlotSearch(SearchOptions options) {
    this.options = options;
    this.space = new StateSpace(options);
    this.table = new StateTable(space.width());
  }

  /** Searches until all states are reached or an invariant is violated. */
  SlotSearch run() {
    return run(Integer.MAX_VALUE);
  }

  /**
   * Searches on from at most so many states of each level, chosen at random by their content: the
   * schedules are as long as those of the whole search.
   */
  SlotSearch sample(int most, long with) {
    breadth = most;
    seed = with;
    return run();
  }

  /** Searches all schedules of up to so many actions. */
  SlotSearch run(int most) {
    int[] first =
        options.asynchronous() ? space.initial() : new SettledStart(space, options).find();
    table.add(space.withFaults(first), -1);
    int[] begins = new int[StateTable.DIVISIONS];
    for (int before = 0; !complete && actions < most && violation.isEmpty(); actions++) {
      before = table.size();
      if (before > LIMIT) {
        throw new IllegalStateException("more than " + LIMIT + " states, after " + coverage);
      }
      level(begins);
      complete = table.size() == before;
    }
    return this;
  }

  /** Adds the successors of the states since the last level, on all processors. */
  private void level(int[] begins) {
    int[] ends = new int[begins.length];
    Arrays.setAll(ends, table::size);
    int width = 0;
    for (int division = 0; division < ends.length; division++) {
      width += ends[division] - begins[division];
    }
    double share = (double) breadth / Math.max(1, width);
    IntStream.range(0, begins.length)
        .parallel()
        .forEach(division -> {
          int[] state = new int[space.width()];
          for (int at = begins[division]; at < ends[division]; at++) {
            int from = StateTable.state(division, at);
            table.get(from, state);
            if (share < 1 && !chosen(state, share)) {
              continue;
            }
            space.successors(
                state, (next, permutation, label, broken) -> successor(from, next, label, broken));
          }
        });
    System.arraycopy(ends, 0, begins, 0, ends.length);
  }

  private boolean chosen(int[] state, double share) {
    return new SplittableRandom(seed + Arrays.hashCode(state)).nextDouble() < share;
  }

  private void successor(int from, int[] next, int label, String broken) {
    transitions.increment();
    if (!broken.isEmpty()) {
      violated(from, label, broken);
    } else if (table.add(next, from)) {
      coverage.count(label);
    }
  }

  /** Of the violations of a level the first by its text is kept, whatever thread finds it when. */
  private synchronized void violated(int from, int label, String broken) {
    if (violation.isEmpty() || broken.compareTo(violation) < 0) {
      violation = broken;
      last = from;
      lastLabel = label;
    }
  }

  /** Returns whether all states were reached. */
  boolean isComplete() {
    return complete && breadth == Integer.MAX_VALUE;
  }

  int states() {
    return table.size();
  }

  String violation() {
    return violation;
  }

  Coverage coverage() {
    return coverage;
  }

  @Override
  public String toString() {
    return options.replicas()
        + " replicas, "
        + options.slots()
        + (options.slots() == 1 ? " slot, " : " slots, ")
        + (options.asynchronous() ? "any silences, " : "")
        + "at most "
        + options.faults()
        + " of "
        + new TreeSet<>(options.kinds())
        + (options.drains() ? ", any drains" : "")
        + (options.removed().isEmpty() ? "" : ", without " + options.removed())
        + (options.reduced() ? ", reduced" : "")
        + ": "
        + table.size()
        + " states, "
        + transitions
        + " transitions, "
        + (breadth == Integer.MAX_VALUE
            ? "all "
            : "of each level at most " + breadth + ", seed " + seed + ": ")
        + (complete ? "states within " : "schedules of up to ")
        + actions
        + " actions";
  }

  /** The actions that lead to the violation. */
  List<String> schedule() {
    List<Integer> path = new ArrayList<>();
    for (int n = last; n >= 0; n = table.parent(n)) {
      path.addFirst(n);
    }
    List<String> result = new ArrayList<>();
    int[] names = Names.permutations(options.replicas()).getFirst();
    for (int at = 0; at + 1 < path.size(); at++) {
      names = action(path.get(at), path.get(at + 1), names, result);
    }
    result.add(named(space.text(lastLabel), names));
    result.add("=> " + named(violation, names));
    return result;
  }

  /** Adds the action between two states; returns the names of the replicas after it. */
  private int[] action(int from, int to, int[] names, List<String> result) {
    int[] state = new int[space.width()];
    int[] target = new int[space.width()];
    table.get(from, state);
    table.get(to, target);
    int[][] after = {null};
    space.successors(
        state,
        (next, permutation, label, broken) -> {
          if (after[0] == null && Arrays.equals(next, target)) {
            result.add(named(space.text(label), names));
            int[] order = space.permutation(permutation);
            after[0] = new int[order.length];
            for (int i = 0; i < order.length; i++) {
              after[0][order[i]] = names[i];
            }
          }
        });
    return after[0];
  }

  private static String named(String text, int[] names) {
    return NAME.matcher(text)
        .replaceAll(m -> (char) ('a' + names[m.group(1).charAt(0) - 'a']) + m.group(2));
  }

  /** How many states were first reached by each kind of action, so a search shows what it contains. */
  final class Coverage {

    private final Map<Integer, LongAdder> labels = new ConcurrentHashMap<>();

    private void count(int label) {
      labels.computeIfAbsent(label, _ -> new LongAdder()).increment();
    }

    private Map<String, Integer> kinds() {
      Map<String, Integer> kinds = new TreeMap<>();
      labels.forEach((label, count) -> {
        String text = space.text(label);
        String kind = text.replaceAll("\\b[a-c][0-9]\\b ?", "").replaceAll("\\[(\\w+)\\[.*", "$1");
        kinds.merge(kind, count.intValue(), Integer::sum);
      });
      return kinds;
    }

    /** Returns how many states were reached by an action whose text contains this. */
    int of(String part) {
      return kinds().entrySet().stream()
          .filter(entry -> entry.getKey().contains(part))
          .mapToInt(Map.Entry::getValue)
          .sum();
    }

    @Override
    public String toString() {
      return kinds().toString();
    }
  }
}
