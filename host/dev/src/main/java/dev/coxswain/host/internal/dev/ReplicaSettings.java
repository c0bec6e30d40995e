// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.limiter.internal.MemberOptions;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of replicas on one machine, as {@code key=value} before those of the user: names,
 * distinct ports, the token, and a shared limiter for several replicas.
 *
 * @param replicas the number of replicas
 * @param freePorts whether any free ports are used
 * @param token the token for the admin API, or null when authentication is configured
 * @param limiter the ports of the Hazelcast members; none for a single replica
 */
record ReplicaSettings(
    int replicas, boolean freePorts, @Nullable DevToken token, LimiterPorts limiter) {

  /** The prefix of replica names, before the number. */
  static final String NAME_PREFIX = "coxswain-";

  static final String SHARED = "sharedLimiter.enabled=true";

  /** Returns settings with free ports. */
  static ReplicaSettings find(int replicas, boolean freePorts, @Nullable DevToken token)
      throws HostException {
    LimiterPorts limiter = LimiterPorts.find(replicas > 1 ? replicas : 0, freePorts);
    return new ReplicaSettings(replicas, freePorts, token, limiter);
  }

  /** Returns the name of a replica, counted from 0. */
  static String name(int replica) {
    return NAME_PREFIX + replica;
  }

  /** Returns the settings of a replica, counted from 0. */
  List<String> of(int replica) {
    List<String> settings = new ArrayList<>();
    settings.add("replicaName=" + name(replica));
    settings.add("drainLimit=500ms");
    settings.add("webhooks.port=0"); // its address is written into the API server
    if (token != null) {
      settings.add("admin.auth.mode=tokenFile");
      settings.add("admin.auth.tokenFile=" + token.list());
    }
    if (freePorts || replica > 0) {
      settings.add("admin.port=0");
      settings.add("metrics.port=0");
      settings.add("health.port=0");
    }
    if (replicas > 1) {
      share(settings, replica);
    }
    return settings;
  }

  /** Adds the shared limiter, with short Leases, so that the loss of a replica shows soon. */
  private void share(List<String> settings, int replica) {
    settings.add(SHARED);
    settings.add("sharedLimiter.port=" + limiter.ports().get(replica));
    settings.add("sharedLimiter.members=" + limiter.members());
    settings.add(
        "membership.maxReplicas=" + Math.max(MemberOptions.DEFAULT_MAX_REPLICAS, replicas));
    settings.add("membership.leaseDuration=10s");
    settings.add("membership.renewPeriod=1s");
  }

  /**
   * The ports of the Hazelcast members, which are in the configuration of all replicas.
   *
   * @param ports the port of each replica
   */
  private record LimiterPorts(List<Integer> ports) {

    LimiterPorts {
      ports = List.copyOf(ports);
    }

    /**
     * Returns free ports: the default one and those after it, or any.
     *
     * @param count the number of ports
     * @param any whether to use any free ports
     */
    static LimiterPorts find(int count, boolean any) throws HostException {
      List<ServerSocket> held = new ArrayList<>();
      try {
        for (int i = 0; i < count; i++) {
          ServerSocket usual = any ? null : tryOpen(MemberOptions.DEFAULT_PORT + i);
          held.add(usual == null ? FreePorts.open() : usual);
        }
        return new LimiterPorts(held.stream().map(ServerSocket::getLocalPort).toList());
      } catch (IOException e) {
        throw new HostException("no free ports for the replicas: " + e.getMessage(), e);
      } finally {
        held.forEach(LimiterPorts::close);
      }
    }

    /** Returns all members, as a value of the configuration. */
    String members() {
      return ports.stream()
          .map(port -> CoxswainConfiguration.LOOPBACK + ":" + port)
          .collect(Collectors.joining(", ", "[", "]"));
    }

    private static @Nullable ServerSocket tryOpen(int port) {
      try {
        return FreePorts.open(port);
      } catch (IOException e) {
        return null; // in use
      }
    }

    private static void close(ServerSocket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        // If the port is taken meanwhile, the replica reports it.
      }
    }
  }
}
