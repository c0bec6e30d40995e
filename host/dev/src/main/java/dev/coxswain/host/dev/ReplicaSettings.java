// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.limiter.MemberOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What replicas on one machine are told as {@code key=value}, before what the user says: their
 * names, ports that are not those of another one, the token, and one retry budget if they are
 * several.
 *
 * @param replicas how many there are
 * @param freePorts whether all ports are taken as they come
 * @param token the token for the admin API, or null when the configuration says who may use it
 * @param limiter the ports of the members; none for a single replica
 */
record ReplicaSettings(
    int replicas, boolean freePorts, @Nullable DevToken token, LimiterPorts limiter) {

  /** What the name of each replica begins with, before its number. */
  static final String NAME_PREFIX = "coxswain-";

  static final String SHARED = "sharedLimiter.enabled=true";

  /** Looks for ports for as many replicas. */
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

  /** One budget for all; the short Leases show soon what the loss of a replica means. */
  private void share(List<String> settings, int replica) {
    settings.add(SHARED);
    settings.add("sharedLimiter.port=" + limiter.ports().get(replica));
    settings.add("sharedLimiter.members=" + limiter.members());
    settings.add(
        "sharedLimiter.maxReplicas=" + Math.max(MemberOptions.DEFAULT_MAX_REPLICAS, replicas));
    settings.add("sharedLimiter.leaseDuration=10s");
    settings.add("sharedLimiter.renewPeriod=1s");
  }
}
