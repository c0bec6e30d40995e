// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotMapFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a join, a crash, a roll-out and the loss of a zone cost with many replicas. {@link #print}
 * prints the tables of {@code docs/evidence/scale.md}.
 */
final class ScaleFigures {

  private static final long SEED = 18;
  private static final long ATTEMPT = 100;

  /** From the start of a pod until it is ready, without the time to schedule it. */
  private static final long READY = 2_000;

  private static final long POD_START = 10_000;

  /** Longer than the calm of a roll-out. */
  private static final long QUIET = 90_000;

  private static final long PATIENCE = 12 * 3_600_000L;

  private static final int PARSE_ROUNDS = 10;
  private static final int PARSED = 5_000;
  private static final int FIELDS = 25;
  private static final int PLANS = 100;

  private ScaleFigures() {}

  /** One line of the table. Times are in milliseconds. */
  record Row(
      String what,
      int replicas,
      int slots,
      long load,
      Map<String, Integer> before,
      Map<String, Integer> after,
      int moves,
      int loads,
      int writes,
      int refusedWrites,
      int fences,
      int refusedFences,
      long longestClosed,
      long done,
      int largestShare) {

    String text() {
      int end = after.values().stream().mapToInt(Integer::intValue).max().orElse(0);
      return "| %s | %d | %d | %s | %d | %d | %d | %d + %d | %d + %d | %s | %s | %d, %d (%.1f) |"
          .formatted(
              what,
              replicas,
              slots,
              seconds(load),
              moves,
              SimulationFixture.surplus(before, after),
              loads,
              writes,
              refusedWrites,
              fences,
              refusedFences,
              seconds(longestClosed),
              seconds(done),
              largestShare,
              end,
              (double) slots / after.size());
    }

    private static String seconds(long millis) {
      return String.format(Locale.ROOT, millis < 100_000 ? "%.1f" : "%,.0f", millis / 1_000.0);
    }
  }

  /** Replicas that share the slots equally. */
  static final class Group {
    private final ScaleSimulation simulation;
    private final List<ScaleReplica> replicas = new ArrayList<>();
    private final int slots;

    Group(int count, int slots, long load, long seed) {
      this.slots = slots;
      simulation = new ScaleSimulation(slots, load, ATTEMPT, seed);
      for (int i = 0; i < count; i++) {
        replicas.add(simulation.join("v1"));
      }
      settle();
    }

    private void settle() {
      long begun = simulation.now();
      while (simulation.now() - simulation.counts().changedAt < QUIET || !simulation.isSettled()) {
        if (simulation.now() - begun > PATIENCE) {
          throw new AssertionError("not settled: " + simulation.shares());
        }
        simulation.run(1_000);
      }
    }

    private Row row(String what, Runnable fault) {
      Map<String, Integer> before = simulation.shares();
      simulation.reset();
      long begun = simulation.now();
      fault.run();
      settle();
      ScaleSimulation.Counts counts = simulation.counts();
      return new Row(
          what,
          replicas.size(),
          slots,
          simulation.load(),
          before,
          simulation.shares(),
          counts.moves,
          counts.loads,
          counts.writes,
          counts.refusedWrites,
          counts.fences,
          counts.refusedFences,
          counts.longestClosed,
          counts.changedAt - begun,
          counts.largestShare);
    }

    Row join() {
      return row("join", () -> simulation.join("v1"));
    }

    Row crash() {
      return row("crash", () -> simulation.crash(List.of(replicas.getFirst())));
    }

    /** Each third replica ends, the first one included. */
    Row lostZone() {
      List<ScaleReplica> zone = new ArrayList<>();
      for (int i = 0; i < replicas.size(); i += 3) {
        zone.add(replicas.get(i));
      }
      return row("lost zone", () -> simulation.crash(zone));
    }

    /** A new replica joins for each one that leaves, before or after it. */
    Row rollOut(boolean surge) {
      return row(
          surge ? "roll-out, maxSurge 1" : "roll-out, maxSurge 0",
          () -> {
            if (surge) {
              started(0, true);
            } else {
              replace(0, false);
            }
            simulation.run(replicas.size() * (READY + POD_START) + QUIET);
          });
    }

    private void replace(int index, boolean surge) {
      if (index < replicas.size()) {
        replicas.get(index).leave();
        if (!surge || index + 1 < replicas.size()) {
          simulation.after(POD_START, () -> started(index + 1, surge));
        }
      }
    }

    private void started(int next, boolean surge) {
      simulation.join("v2");
      simulation.after(READY, () -> replace(next, surge));
    }

    SlotMap map() {
      return simulation.map();
    }

    /** The shortest time of the computation that each replica makes after each list. */
    private double planMicros() {
      double best = Double.MAX_VALUE;
      for (int i = 0; i < PLANS; i++) {
        long begun = System.nanoTime();
        simulation.planOnly();
        best = Math.min(best, (System.nanoTime() - begun) / 1e3);
      }
      return best;
    }
  }

  /** Returns the bytes of a map in the body of a request, without the metadata. */
  static int bytes(SlotMap map) {
    JsonObject data = new JsonObject();
    SlotMapFormat.encode(map).forEach(data::addProperty);
    return data.toString().length();
  }

  /** Returns the bytes of a replica Lease with the attributes of a host with many controllers. */
  static int leaseBytes(boolean managedFields) {
    Map<String, String> annotations = new TreeMap<>();
    annotations.put("coxswain.dev/limiter-generation", "coxswain-hz57-4f1c2ab8");
    annotations.put("coxswain.dev/limiter-pool", "on");
    annotations.put("coxswain.dev/limiter-override", "none " + IDENTITY);
    annotations.put("coxswain.dev/last-holder", IDENTITY);
    annotations.put("address.coxswain.dev/admin", "http://10.244.12.34:8090");
    annotations.put("address.coxswain.dev/member", "10.244.12.34:5701");
    annotations.put("replica.coxswain.dev/slot-weight", "100");
    annotations.put("replica.coxswain.dev/slot-drained", "false");
    annotations.put("replica.coxswain.dev/leaving", "false");
    annotations.put("replica.coxswain.dev/version", "1.4.2+20261124");
    annotations.put("replica.coxswain.dev/slot-map", "7f1c1f0e-6d3f-4a52-9a53-0c1e3f6f2d11");
    annotations.put("replica.coxswain.dev/slot-warm", "");
    annotations.put("replica.coxswain.dev/slot-loading", "");
    annotations.put("replica.coxswain.dev/controllers", "12;sha256-" + "0".repeat(64));
    JsonObject lease =
        LeaseRecord.unheld("coxswain", "coxswain-replica-42")
            .heldBy(IDENTITY, 15, Instant.parse("2026-11-24T12:00:00.123456Z"))
            .marked("coxswain.dev/replica-leases", "coxswain-replica", annotations)
            .json();
    JsonObject metadata = lease.getAsJsonObject("metadata");
    metadata.addProperty("uid", "7f1c1f0e-6d3f-4a52-9a53-0c1e3f6f2d11");
    metadata.addProperty("resourceVersion", "1234567890");
    metadata.addProperty("creationTimestamp", "2026-11-24T12:00:00Z");
    if (managedFields) {
      metadata.add("managedFields", managedFields(annotations));
    }
    return lease.toString().length();
  }

  private static final String IDENTITY =
      "coxswain-7d9c5b6f4d-x2k8p_7f1c1f0e-6d3f-4a52-9a53-0c1e3f6f2d11";

  /** What an API server adds for the fields of one manager. */
  private static JsonArray managedFields(Map<String, String> annotations) {
    JsonObject keys = new JsonObject();
    keys.add(".", new JsonObject());
    annotations.keySet().forEach(key -> keys.add("f:" + key, new JsonObject()));
    JsonObject fields =
        JsonParser.parseString(
                """
                {"f:metadata":{"f:labels":{".":{},"f:coxswain.dev/replica-leases":{}}},"f:spec":{\
                "f:acquireTime":{},"f:holderIdentity":{},"f:leaseDurationSeconds":{},\
                "f:leaseTransitions":{},"f:renewTime":{}}}\
                """)
            .getAsJsonObject();
    fields.getAsJsonObject("f:metadata").add("f:annotations", keys);
    JsonObject entry =
        JsonParser.parseString(
                """
                {"manager":"coxswain","operation":"Update",\
                "apiVersion":"coordination.k8s.io/v1","time":"2026-11-24T12:00:00Z",\
                "fieldsType":"FieldsV1"}\
                """)
            .getAsJsonObject();
    entry.add("fieldsV1", fields);
    JsonArray all = new JsonArray();
    all.add(entry);
    return all;
  }

  /** Prints the tables for sizes as {@code REPLICASxSLOTS}. */
  static void print(List<String> sizes) {
    System.out.printf(
        Locale.ROOT,
        "Lease: %d B, with managedFields %d B; object of %d B: parsed in %.1f us%n",
        leaseBytes(false),
        leaseBytes(true),
        object().length(),
        parseMicros());
    System.out.println(
        "| what | replicas | slots | load s | moves | least | loads | map writes + refused |"
            + " fences + refused | closed s | done s | largest, in the end (mean) |");
    for (String size : sizes) {
      int replicas = Integer.parseInt(size.substring(0, size.indexOf('x')));
      int slots = Integer.parseInt(size.substring(size.indexOf('x') + 1));
      for (long load : new long[] {1_000, 60_000}) {
        Group group = new Group(replicas, slots, load, SEED);
        System.out.printf(
            Locale.ROOT,
            "map of %s: %,d B; a plan without a change: %.2f ms%n",
            size,
            bytes(group.map()),
            group.planMicros() / 1_000);
        System.out.println(group.join().text());
        System.out.println(new Group(replicas, slots, load, SEED).crash().text());
        System.out.println(new Group(replicas, slots, load, SEED).lostZone().text());
        System.out.println(new Group(replicas, slots, load, SEED).rollOut(true).text());
        System.out.println(new Group(replicas, slots, load, SEED).rollOut(false).text());
      }
    }
  }

  /** The time to parse one object of the size that the page assumes, as an informer does. */
  private static double parseMicros() {
    String text = object();
    double best = Double.MAX_VALUE;
    for (int round = 0; round < PARSE_ROUNDS; round++) {
      long begun = System.nanoTime();
      for (int i = 0; i < PARSED; i++) {
        best = JsonParser.parseString(text).isJsonObject() ? best : 0;
      }
      best = Math.min(best, (System.nanoTime() - begun) / 1e3 / PARSED);
    }
    return best;
  }

  private static String object() {
    JsonObject spec = new JsonObject();
    for (int i = 0; i < FIELDS; i++) {
      JsonObject part = new JsonObject();
      part.addProperty("name", "container-" + i);
      part.addProperty("image", "registry.example.com/team/service:1.4." + i);
      part.addProperty("replicas", i);
      spec.add("part" + i, part);
    }
    JsonObject object = LeaseRecord.unheld("coxswain", "object-4711").json();
    object.add("spec", spec);
    return object.toString();
  }
}
