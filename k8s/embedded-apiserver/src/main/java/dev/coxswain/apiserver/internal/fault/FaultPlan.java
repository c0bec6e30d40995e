// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.apiserver.fault.InvalidFaultException;
import dev.coxswain.apiserver.internal.status.ApiException;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The faults that are active, and what they mean for a request, a watch or a connection; confined
 * to the server's event loop.
 */
public final class FaultPlan {
  private static final int MOST = 1_000;

  private final Vertx vertx;
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final LostEvents lost = new LostEvents();
  private final Gate gate;
  private @Nullable FaultTarget attached;
  private long lastId;

  /** Creates a plan without faults; {@link #attach} comes before the first fault. */
  public FaultPlan(Vertx vertx) {
    this.vertx = vertx;
    this.gate = new Gate(vertx);
  }

  /** Sets the target of the plan, which itself reads the plan. */
  public void attach(FaultTarget target) {
    attached = target;
  }

  private FaultTarget target() {
    return Objects.requireNonNull(attached, "attach comes first");
  }

  /** The actions that wait while the server is paused. */
  public Gate gate() {
    return gate;
  }

  /** Injects a fault; throws {@link InvalidFaultException} when there are too many. */
  public ActiveFault add(Fault fault) {
    return add(fault, uri -> true);
  }

  /** Injects a fault for requests whose path and query match. */
  public ActiveFault add(Fault fault, Predicate<String> uri) {
    if (rules.size() >= MOST) {
      throw new InvalidFaultException(
          "kind", "is one fault too many: " + MOST + " are active, clear some");
    }
    Rule rule = new Rule(Long.toString(++lastId), fault, uri);
    rules.put(rule.id(), rule);
    try {
      begin(rule);
    } catch (RuntimeException e) {
      rules.remove(rule.id()); // its id is never returned, so it could not be ended
      throw e;
    }
    if (fault.effect().instant()) {
      rules.remove(rule.id());
    } else if (rules.containsKey(rule.id()) && !fault.duration().isZero()) {
      rule.timer = vertx.setTimer(fault.duration().toMillis(), id -> end(rule));
    }
    return rule.report(rules.containsKey(rule.id()));
  }

  private void begin(Rule rule) {
    FaultFilter filter = rule.fault().filter();
    switch (rule.effect()) {
      case Effect.CloseWatches e -> used(rule, target().closeWatches(filter, rule.fault().count()));
      case Effect.SilenceWatches e -> used(rule, target().silenceWatches(filter, rule.left()));
      case Effect.CompactHistory e -> target().compactHistory(e.expireOpen());
      case Effect.CutConnections e -> used(rule, target().cutConnections(rule.fault().count()));
      case Effect.RefuseConnections e -> {
        if (e.mode() == Effect.RefuseMode.CLOSED) {
          target().listen(false);
        }
      }
      case Effect.Pause e -> gate.close();
      case Effect.UnknownFields e -> target().unknownFields(true);
      case Effect.Starting e -> target().cutConnections(0);
      case Effect.SlowWatches e -> target().watchesChanged();
      case Effect.Fail e -> {}
      case Effect.Latency e -> {}
      case Effect.DropEvents e -> {}
    }
  }

  /** Ends a fault; does nothing for one that is over. */
  private void end(Rule rule) {
    if (rules.remove(rule.id()) == null) {
      return;
    }
    if (rule.timer != Rule.NO_TIMER) {
      vertx.cancelTimer(rule.timer);
    }
    switch (rule.effect()) {
      case Effect.RefuseConnections e -> target().listen(first(this::closesSocket) == null);
      case Effect.Pause e -> {
        if (first(r -> r.effect() instanceof Effect.Pause) == null) {
          gate.open();
          target().watchesChanged();
        }
      }
      case Effect.UnknownFields e ->
          target().unknownFields(first(r -> r.effect() instanceof Effect.UnknownFields) != null);
      case Effect.SlowWatches e -> target().watchesChanged();
      default -> {}
    }
  }

  private boolean closesSocket(Rule rule) {
    return rule.effect() instanceof Effect.RefuseConnections refuse
        && refuse.mode() == Effect.RefuseMode.CLOSED;
  }

  private @Nullable Rule first(Predicate<Rule> condition) {
    for (Rule rule : rules.values()) {
      if (condition.test(rule)) {
        return rule;
      }
    }
    return null;
  }

  private void used(Rule rule, int times) {
    if (rule.applied(times)) {
      end(rule);
    }
  }

  /** Ends one fault; false when none has this id. */
  public boolean clear(String id) {
    Rule rule = rules.get(id);
    if (rule == null) {
      return false;
    }
    end(rule);
    return true;
  }

  /** Ends all faults that match; returns how many. */
  public int clear(Predicate<Fault> condition) {
    int cleared = 0;
    for (Rule rule : List.copyOf(rules.values())) {
      if (condition.test(rule.fault())) {
        end(rule);
        cleared++;
      }
    }
    return cleared;
  }

  /** Lists the active faults, the oldest first. */
  public List<ActiveFault> active() {
    List<ActiveFault> active = new ArrayList<>();
    rules.values().forEach(rule -> active.add(rule.report(true)));
    return active;
  }

  /** True when nothing is broken, which saves looking at a request. */
  public boolean idle() {
    return rules.isEmpty();
  }

  /** Returns how long this request waits; uses up what it takes. */
  public Duration latency(RequestFacts request) {
    Duration sum = Duration.ZERO;
    for (Rule rule : List.copyOf(rules.values())) {
      if (rule.effect() instanceof Effect.Latency latency && rule.matches(request)) {
        sum = sum.plus(latency.delay());
        used(rule, 1);
      }
    }
    return sum;
  }

  /** Returns the failure of this request and counts it, or null. */
  public @Nullable ApiException failure(RequestFacts request) {
    for (Rule rule : List.copyOf(rules.values())) {
      if (rule.effect() instanceof Effect.Fail fail
          && rule.matches(request)
          && rule.hits(fail.share())) {
        used(rule, 1);
        return Failures.of(fail);
      }
      if (rule.effect() instanceof Effect.Starting && !request.resource().isEmpty()) {
        used(rule, 1);
        return Failures.starting(request, target().isBuiltin(request.group()));
      }
    }
    return null;
  }

  /** True when a connection that was just accepted is to be reset; uses it up. */
  public boolean refusesConnection() {
    Rule rule =
        first(r ->
            r.effect() instanceof Effect.RefuseConnections refuse
                && refuse.mode() == Effect.RefuseMode.RESET);
    if (rule != null) {
      used(rule, 1);
    }
    return rule != null;
  }

  /** True when a watch that opens now is to be silent; uses it up. */
  public boolean silences(String group, String resource) {
    Rule rule =
        first(r ->
            r.effect() instanceof Effect.SilenceWatches
                && r.fault().filter().matchesResource(group, resource));
    if (rule != null) {
      used(rule, 1);
    }
    return rule != null;
  }

  /** True when a watch from too far back is answered with an HTTP status; uses it up. */
  public boolean answersExpiredAsStatus() {
    Rule rule = first(r -> r.effect() instanceof Effect.CompactHistory);
    if (rule != null) {
      used(rule, 1);
    }
    return rule != null;
  }

  /** Bytes a second for a watch, 0 = as many as there are. */
  public int bytesPerSecond(String group, String resource) {
    int slowest = 0;
    for (Rule rule : rules.values()) {
      if (rule.effect() instanceof Effect.SlowWatches slow
          && rule.fault().filter().matchesResource(group, resource)
          && (slowest == 0 || slow.bytesPerSecond() < slowest)) {
        slowest = slow.bytesPerSecond();
      }
    }
    return slowest;
  }

  /** True when some watch may be slow. */
  public boolean slowsWatches() {
    return first(r -> r.effect() instanceof Effect.SlowWatches) != null;
  }

  /**
   * Decides about a new change; returns true when watches must not receive it.
   *
   * @param oldest oldest version that a watch of this resource can start from
   */
  public boolean loses(String storage, long version, long oldest) {
    int slash = storage.indexOf('/');
    Rule rule =
        first(r ->
            r.effect() instanceof Effect.DropEvents drop
                && r.fault()
                    .filter()
                    .matchesResource(storage.substring(0, slash), storage.substring(slash + 1))
                && r.hits(drop.share()));
    if (rule == null) {
      return false;
    }
    lost.add(storage, version, oldest);
    used(rule, 1);
    return true;
  }

  /** True when a change was lost when it happened. */
  public boolean lost(String storage, long version) {
    return lost.contains(storage, version);
  }

  /**
   * Changes that no watch receives, not even a resumed one; at most as many as the history holds.
   * Confined to the server's event loop.
   */
  private static final class LostEvents {
    private final Map<String, NavigableSet<Long>> versions = new HashMap<>();

    void add(String storage, long version, long oldest) {
      NavigableSet<Long> lost = versions.computeIfAbsent(storage, k -> new TreeSet<>());
      lost.headSet(oldest, true).clear(); // no watch can start there any more
      lost.add(version);
    }

    boolean contains(String storage, long version) {
      NavigableSet<Long> lost = versions.get(storage);
      return lost != null && lost.contains(version);
    }
  }
}
