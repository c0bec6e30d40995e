// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the controllers of a run have done, in numbers.
 *
 * <p>Thread rule: the thread of the test.
 */
public final class RunTally {

  private int calls;
  private int writes;
  private int attempts;
  private int events;
  private int callsAtBegin;
  private final Map<String, Results> results = new TreeMap<>();
  private final Map<String, String> failing = new TreeMap<>();
  private final Map<String, Integer> idleWrites = new TreeMap<>();
  private final Set<String> namespaces = new TreeSet<>();

  /** The attempts of one controller. */
  private static final class Results {
    private int failures;
    private String lastFailure = "";

    /** Those that made a call: one for an object that is gone succeeds whatever the controller does. */
    private int worked;
  }

  private int mostAttempts = Integer.MAX_VALUE;

  /** A run that does not come to rest. */
  public static final class RunawayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RunawayException(String message) {
      super(message);
    }
  }

  RunTally() {}

  /** Ends the run with a {@link RunawayException} after this many attempts. */
  public void limitAttempts(int most) {
    mostAttempts = most;
  }

  void requireBounded() {
    if (attempts > mostAttempts) {
      throw new RunawayException("more than " + mostAttempts + " attempts");
    }
  }

  /** Returns how many calls reconcilers have made. */
  public int calls() {
    return calls;
  }

  /** Returns how many writes reconcilers have sent. */
  public int writes() {
    return writes;
  }

  /** Returns how many attempts have begun. */
  public int attempts() {
    return attempts;
  }

  /** Returns how many events have been delivered, or were about to be. */
  public int events() {
    return events;
  }

  /** Returns the writes that the server accepted and that changed nothing, by their shape. */
  public Map<String, Integer> idleWrites() {
    return idleWrites;
  }

  /** Returns the namespaces of all requests, with an empty text for those without one. */
  public Set<String> namespaces() {
    return namespaces;
  }

  /** Returns the requests whose last attempt failed, each with the failure. */
  public List<String> failing() {
    return failing.entrySet().stream().map(one -> one.getKey() + ": " + one.getValue()).toList();
  }

  /** Returns the controllers that have not succeeded in anything, each with its last failure. */
  public List<String> neverSucceeded() {
    List<String> found = new ArrayList<>();
    results.forEach((controller, of) -> {
      if (of.failures > 0 && of.worked == 0) {
        found.add(
            "controller \"%s\", %d failed attempts, the last one with %s"
                .formatted(controller, of.failures, of.lastFailure));
      }
    });
    return found;
  }

  int call() {
    return ++calls;
  }

  int write() {
    return ++writes;
  }

  int attempt(String namespace) {
    namespaces.add(namespace);
    callsAtBegin = calls;
    return ++attempts;
  }

  void delivered(int count) {
    events += count;
  }

  void idleWrite(String shape) {
    idleWrites.merge(shape, 1, Integer::sum);
  }

  /** Notes the end of an attempt; the failure is null when it succeeded. */
  void ended(String controller, String request, @Nullable String failure) {
    Results of = results.computeIfAbsent(controller, _ -> new Results());
    String name = controller + " " + request;
    if (failure != null) {
      of.failures++;
      of.lastFailure = failure;
      failing.put(name, failure);
    } else {
      of.worked += calls > callsAtBegin ? 1 : 0;
      failing.remove(name);
    }
  }
}
