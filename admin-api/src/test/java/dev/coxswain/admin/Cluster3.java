// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Three replicas with real HTTP between them, {@code coxswain-0} to {@code coxswain-2}. */
public final class Cluster3 implements AutoCloseable {

  public final List<Api> apis = new ArrayList<>();
  private final IntFunction<Api> starter;

  public Cluster3() {
    this(AccessControl.open());
  }

  public Cluster3(AccessControl access) {
    this(access, options -> options);
  }

  public Cluster3(AccessControl access, UnaryOperator<AdminOptions> options) {
    this(warm(access), options, Intervals.DEFAULT);
  }

  public Cluster3(
      IntFunction<AccessControl> access, UnaryOperator<AdminOptions> options, Intervals pace) {
    this.starter = i -> new Api("coxswain-" + i, access.apply(i), Clock.system(), options, pace);
    for (int i = 0; i < 3; i++) {
      apis.add(starter.apply(i));
    }
    acquireLeases();
  }

  private static IntFunction<AccessControl> warm(AccessControl access) {
    Warm.up();
    return _ -> access;
  }

  /** In a cold process the first answer of a replica may take longer than it is waited for. */
  private static final class Warm {
    static {
      try (Cluster3 first = new Cluster3(_ -> AccessControl.open(), o -> o, Intervals.DEFAULT)) {
        for (Api api : first.apis) {
          Await.until(() -> !api.get("/api/v1/replicas").http().body().contains("\"timeout\""));
        }
      }
    }

    /** Answers once, when it is first called. */
    static void up() {}
  }

  public Api at(int replica) {
    return apis.get(replica);
  }

  /** Tells every replica where all of them are. */
  public void acquireLeases() {
    List<ReplicaInfo> infos = new ArrayList<>();
    for (int i = 0; i < apis.size(); i++) {
      infos.add(info(i, "http://127.0.0.1:" + at(i).port));
    }
    apis.forEach(api -> {
      api.directory.replicas.clear();
      api.directory.replicas.addAll(infos);
    });
  }

  /** From now on the host has slots, each owned by one of the three, and the controller is sharded. */
  public FakeSlots shard() {
    FakeSlots slots = new FakeSlots().spread(3);
    for (int i = 0; i < 3; i++) {
      at(i).directory.slots = slots.at(i);
      at(i).demo.ownership = ControllerOptions.Ownership.SHARDED;
    }
    return slots;
  }

  /** Tells a replica that another one is somewhere else. */
  public void move(int from, int replica, String address) {
    at(from).directory.replicas.set(replica, info(replica, address));
  }

  private static ReplicaInfo info(int replica, String address) {
    return new ReplicaInfo(
        "coxswain-" + replica,
        FakeSlots.owner(replica).identity(),
        replica,
        Instant.EPOCH,
        "5.7-1",
        true,
        Map.of("admin", address, "limiter-member", "127.0.0.1:1"));
  }

  /** Ends a replica as a killed process does: its port is closed and its Lease is still there. */
  public void kill(int replica) {
    at(replica).close();
  }

  /** Ends a replica and starts it anew, somewhere else, with nothing of what it had. */
  public void restart(int replica) {
    at(replica).close();
    apis.set(replica, starter.apply(replica));
    acquireLeases();
  }

  /** Takes the Lease of a replica away. */
  public void loseLease(int replica) {
    apis.forEach(
        api -> api.directory.replicas.removeIf(info -> info.name().equals("coxswain-" + replica)));
  }

  /** Adds failing items to a replica. */
  public void fill(int replica, int items) {
    for (int i = 0; i < items; i++) {
      at(replica).demo.put("ns", "r" + replica + "-" + i, Phase.DELAYED, 1, "boom");
    }
  }

  /** Returns fields of the audit records of one replica, a text for each record. */
  public List<String> audit(int replica, String... fields) {
    List<String> records = new ArrayList<>();
    at(replica)
        .get("/api/v1/audit?scope=local")
        .ok(200)
        .path("items")
        .forEach(record ->
            records.add(
                Stream.of(fields)
                    .map(field -> record.path(field).asText())
                    .collect(Collectors.joining(" "))));
    return records;
  }

  /** Returns which replicas contributed to a response, and how. */
  public static List<String> states(JsonNode response) {
    return states(response, "replicas");
  }

  /** Returns the replica and the state of each entry of a list in a response. */
  public static List<String> states(JsonNode response, String list) {
    List<String> states = new ArrayList<>();
    for (JsonNode one : response.path(list)) {
      states.add(one.path("replica").asText() + " " + one.path("state").asText());
    }
    return states;
  }

  @Override
  public void close() {
    apis.forEach(Api::close);
  }
}
