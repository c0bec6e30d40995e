// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.ControllerDirectory.SeatedReplica;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Three replicas with real HTTP between them, {@code coxswain-0} to {@code coxswain-2}. */
final class Cluster3 implements AutoCloseable {

  final List<Api> apis = new ArrayList<>();

  Cluster3() {
    this(AccessControl.open());
  }

  Cluster3(AccessControl access) {
    this(access, options -> options);
  }

  Cluster3(AccessControl access, UnaryOperator<AdminOptions> options) {
    for (int i = 0; i < 3; i++) {
      apis.add(new Api("coxswain-" + i, access, Clock.system(), options, Pace.DEFAULT));
    }
    seat();
  }

  Api at(int replica) {
    return apis.get(replica);
  }

  /** Tells every replica where all of them are. */
  void seat() {
    List<SeatedReplica> seats = new ArrayList<>();
    for (int i = 0; i < apis.size(); i++) {
      seats.add(seat(i, "http://127.0.0.1:" + at(i).port));
    }
    apis.forEach(api -> {
      api.directory.replicas.clear();
      api.directory.replicas.addAll(seats);
    });
  }

  /** Tells a replica that another one is somewhere else. */
  void move(int from, int replica, String address) {
    at(from).directory.replicas.set(replica, seat(replica, address));
  }

  private static SeatedReplica seat(int replica, String address) {
    return new SeatedReplica(
        "coxswain-" + replica,
        replica,
        Instant.EPOCH,
        "5.7-1",
        true,
        Map.of("admin", address, "limiter-member", "127.0.0.1:1"));
  }

  /** Ends a replica as a killed process does: its port is closed and its Lease is still there. */
  void kill(int replica) {
    at(replica).close();
  }

  @Override
  public void close() {
    apis.forEach(Api::close);
  }
}
