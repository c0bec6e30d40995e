// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.search.RunResult.SeenCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** All perturbations of a scenario, by its reference run. */
final class PerturbationPlan {

  /** By how many events a cache is late. */
  private static final int[] LATE = {1, 3};

  /** How far back stale caches begin: each write is two versions, one before and one after it. */
  private static final int OLDEST = 5;

  /** What a server may make of selectors, see {@link Kind#SLOT_AWAY}. */
  private static final int SERVERS = 3;

  private final RunResult reference;
  private final Scenario scenario;
  private final List<Perturbation> all = new ArrayList<>();

  private PerturbationPlan(RunResult reference, Scenario scenario) {
    this.reference = reference;
    this.scenario = scenario;
  }

  static List<Perturbation> of(RunResult reference, Scenario scenario) {
    PerturbationPlan plan = new PerturbationPlan(reference, scenario);
    for (Kind kind : Kind.values()) {
      if (scenario.kinds().contains(kind)) {
        plan.add(kind);
      }
    }
    return plan.all;
  }

  /** Returns a random part of them, in turns of each kind, in the order of the whole plan. */
  static List<Perturbation> sample(List<Perturbation> all, int most, long seed) {
    if (all.size() <= most) {
      return all;
    }
    List<Perturbation> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, new Random(seed));
    Map<Kind, Integer> turns = new EnumMap<>(Kind.class);
    Map<Perturbation, Integer> turn = new HashMap<>();
    shuffled.forEach(one -> turn.put(one, turns.merge(one.kind(), 1, Integer::sum)));
    shuffled.sort(Comparator.comparingInt(one -> turn.getOrDefault(one, 0)));
    Set<Perturbation> chosen = new HashSet<>(shuffled.subList(0, most));
    return all.stream().filter(chosen::contains).toList();
  }

  private void add(Kind kind) {
    switch (kind.place()) {
      case CALL -> count(kind, reference.calls().size());
      case ATTEMPT -> attempts(kind);
      case WRITE ->
          reference.calls().stream()
              .filter(call -> call.write() > 0)
              .forEach(call -> write(kind, call));
      case EVENT -> {
        for (int event = 1; event <= reference.events(); event++) {
          event(kind, event);
        }
      }
    }
  }

  private void count(Kind kind, int to) {
    for (int at = 1; at <= to; at++) {
      all.add(Perturbation.of(kind, at));
    }
  }

  private void attempts(Kind kind) {
    if (kind != Kind.SLOT_AWAY) {
      count(kind, reference.attempts());
      return;
    }
    for (int at = 1; at <= reference.attempts(); at++) {
      all.add(
          new Perturbation(
              kind, at, (at - 1) % SERVERS)); // in turn: the laws are the same with each
    }
  }

  private void event(Kind kind, int event) {
    if (kind == Kind.LAG) {
      for (int by : LATE) {
        all.add(new Perturbation(kind, event, by));
      }
    } else {
      all.add(Perturbation.of(kind, event));
    }
  }

  private void write(Kind kind, SeenCall call) {
    switch (kind) {
      case STALE_RESTART -> {
        for (int by = 1; by <= Math.min(OLDEST, 2 * call.write() - 1); by++) {
          all.add(new Perturbation(kind, call.write(), by));
        }
      }
      case USER_EDIT -> {
        if (!call.create()) {
          all.add(Perturbation.of(kind, call.write()));
        }
      }
      case EARLY_STEP -> {
        if (call.step() < scenario.steps().size()
            && scenario.steps().get(call.step()).mayBeEarly()) {
          all.add(Perturbation.of(kind, call.write()));
        }
      }
      default -> all.add(Perturbation.of(kind, call.write()));
    }
  }
}
