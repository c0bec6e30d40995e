// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.ReplicatedMapConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.spi.properties.ClusterProperty;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import java.util.Collection;

/**
 * The Hazelcast configuration of a member, with the reason for each value that is not a default.
 */
public final class MemberConfig {
  public static final String POOLS = "coxswain-limiter-pools";
  static final String REPORTS = "coxswain-limiter-reports";
  public static final String PROTECTION = "coxswain-majority";

  private MemberConfig() {}

  public static Config of(MemberOptions options, ReplicaView view) {
    Config config = new Config();
    config.setClusterName(options.hazelcastName());
    config.setInstanceName(null);
    network(config, options);
    serialization(config);
    quiet(config, options);
    pools(config, view);
    // Filled asynchronously: a member that starts does not wait for the reports.
    config.addReplicatedMapConfig(new ReplicatedMapConfig(REPORTS).setAsyncFillup(true));
    return config;
  }

  private static void network(Config config, MemberOptions options) {
    // No client endpoint: a client that can reach the port of a default member can run code in it.
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig().setEnabled(true);
    ServerSocketEndpointConfig endpoint = new ServerSocketEndpointConfig();
    endpoint.setPort(options.port()).setPortAutoIncrement(false).setReuseAddress(true);
    endpoint.getInterfaces().setEnabled(true).addInterface(options.host());
    endpoint.setPublicAddress(null);
    network.setMemberEndpointConfig(endpoint);
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    if (options.service().isEmpty()) {
      join.getTcpIpConfig().setEnabled(true).setMembers(options.members());
    } else {
      join.getKubernetesConfig()
          .setEnabled(true)
          .setProperty("service-dns", options.service())
          .setProperty("service-port", Integer.toString(options.port()));
    }
    config.setProperty(ClusterProperty.SOCKET_BIND_ANY.getName(), "false");
    // A frozen peer makes one I/O thread spin; the other two still serve the connections.
    config.setProperty(ClusterProperty.IO_THREAD_COUNT.getName(), "3");
    config.setProperty(ClusterProperty.HEARTBEAT_INTERVAL_SECONDS.getName(), "1");
    config.setProperty(ClusterProperty.MAX_NO_HEARTBEAT_SECONDS.getName(), "10");
    // Two members that lose the connection to each other, and not to the master, would stay in the
    // cluster, and backups between them would never be acknowledged. The master expels one of them
    // after this many heartbeats.
    config.setProperty(
        ClusterProperty.PARTIAL_MEMBER_DISCONNECTION_RESOLUTION_HEARTBEAT_COUNT.getName(), "5");
  }

  private static void serialization(Config config) {
    // Java serialization only for Hazelcast's own exceptions.
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.setDefaultsDisabled(true);
    filter.getWhitelist().addPrefixes("com.hazelcast.", "java.lang.", "[Ljava.lang.StackTraceEl");
    filter.getWhitelist().addClasses("java.util.Collections$EmptyList", "java.util.ArrayList");
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter);
    config
        .getSerializationConfig()
        .addDataSerializableFactory(PoolSerializers.FACTORY, new PoolSerializers());
  }

  private static void quiet(Config config, MemberOptions options) {
    config.setProperty(ClusterProperty.LOGGING_TYPE.getName(), "slf4j");
    // Otherwise each line begins with the name of the cluster, which is secret.
    config.setProperty(ClusterProperty.LOGGING_ENABLE_DETAILS.getName(), "false");
    config.setProperty(ClusterProperty.PHONE_HOME_ENABLED.getName(), "false");
    config.setProperty(ClusterProperty.SHUTDOWNHOOK_ENABLED.getName(), "false");
    config.setProperty(
        ClusterProperty.GRACEFUL_SHUTDOWN_MAX_WAIT.getName(),
        Long.toString(Math.max(1, options.stopTimeout().toSeconds())));
    config.getJetConfig().setEnabled(false);
    config.getMetricsConfig().setEnabled(false);
  }

  private static void pools(Config config, ReplicaView view) {
    // Both are needed: split-brain protection acts only once a loss is detected. Until then a
    // member that is alone gets no acknowledgement of a backup, and the operation fails.
    config.setProperty(ClusterProperty.FAIL_ON_INDETERMINATE_OPERATION_STATE.getName(), "true");
    config.setProperty(ClusterProperty.OPERATION_BACKUP_TIMEOUT_MILLIS.getName(), "1000");
    config.setProperty(ClusterProperty.OPERATION_CALL_TIMEOUT_MILLIS.getName(), "10000");
    // A handful of entries need no 271 partitions, and nothing is granted until their backups have
    // moved.
    config.setProperty(ClusterProperty.PARTITION_COUNT.getName(), "31");
    SplitBrainProtectionConfig protection = new SplitBrainProtectionConfig(PROTECTION, true);
    protection.setProtectOn(SplitBrainProtectionOn.READ_WRITE);
    protection.setFunctionImplementation(
        members -> members.size() >= majority(view.liveReplicas()));
    config.addSplitBrainProtectionConfig(protection);
    MapConfig map = new MapConfig(POOLS);
    map.setBackupCount(1);
    map.setAsyncBackupCount(0);
    map.setSplitBrainProtectionName(PROTECTION);
    map.setMergePolicyConfig(new MergePolicyConfig(LargerDebtPolicy.class.getName(), 100));
    map.setStatisticsEnabled(false);
    config.addMapConfig(map);
  }

  /**
   * Returns whether the members at these addresses are a majority of all replicas. Two disjoint
   * groups are never both a majority as long as the replicas agree on the held Leases.
   */
  public static boolean isMajority(Collection<String> members, ReplicaView view, int liveReplicas) {
    int holders = 0;
    for (String member : members) {
      if (view.holdsLease(member)) {
        holders++;
      }
    }
    return holders >= majority(Math.max(liveReplicas, view.liveReplicas()));
  }

  /** Returns how many members are a majority of this many live replicas. */
  public static int majority(int liveReplicas) {
    return liveReplicas / 2 + 1;
  }
}
