// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.limiter.internal.ClusterSecret;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shared limiter's part of the configuration, and what it requires of other parts. */
class SharedLimiterConfigurationTest {

  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: CoxswainConfiguration\n";

  @TempDir private Path folder;

  @Test
  void secretOfTheSharedLimiter_isReadFromEverywhere_andNeverShown() throws Exception {
    String secret = "0123456789abcdefXYZ";
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            write("sharedLimiter: {enabled: true, members: [127.0.0.1:5701]}"),
            Map.of("COXSWAIN_SHARED_LIMITER__CLUSTER_SECRET", secret),
            List.of());
    assertThat(configuration.sharedLimiter().secret()).isEqualTo(ClusterSecret.of(secret));
    assertThat(configuration.toString()).doesNotContain(secret);
    Path file = Files.writeString(folder.resolve("limiter-secret"), secret + "\n");
    assertThat(load("sharedLimiter: {clusterSecretFile: " + file + "}").sharedLimiter().secret())
        .isEqualTo(ClusterSecret.of(secret));
    assertThatThrownBy(() -> load("sharedLimiter: {clusterSecret: hunter2}"))
        .hasMessageContaining("sharedLimiter.clusterSecret: expected a secret of 16 to 1024")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() ->
            load("sharedLimiter: {clusterSecret: " + secret + ", clusterSecretFile: " + file + "}"))
        .hasMessageContaining("sharedLimiter.clusterSecretFile: expected either")
        .hasMessageNotContaining(secret);
  }

  @Test
  void theSharedLimiter_isReadFromEverywhere_andHasTheDefaultsOfItsModule() throws Exception {
    CoxswainConfiguration none = load("");
    assertThat(none.sharedLimiter().enabled()).isFalse();
    assertThat(none.sharedLimiter().memberOptions("one", none.membership(), Duration.ofSeconds(10)))
        .isEqualTo(
            MemberOptions.of("one")
                .with(options -> options.maxReplicas(Membership.DEFAULT_MAX_REPLICAS)));
    assertThat(none.membership().renewDeadline()).isEqualTo(Duration.ofSeconds(10));

    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            write(
                """
                sharedLimiter: {enabled: true}
                membership: {maxReplicas: 3}
                limiters: {vendor: {rate: 2, burst: 50, maxRate: 4}}
                """),
            Map.of("COXSWAIN_MEMBERSHIP__HOST", "10.0.0.7"),
            List.of("sharedLimiter.members=[10.0.0.7:5701, 10.0.0.8:5701]"));
    SharedLimiter shared = configuration.sharedLimiter();
    assertThat(shared.enabled()).isTrue();
    assertThat(configuration.membership().host()).isEqualTo("10.0.0.7");
    assertThat(configuration.membership().maxReplicas()).isEqualTo(3);
    assertThat(shared.members()).containsExactly("10.0.0.7:5701", "10.0.0.8:5701");
    assertThat(configuration.limiters().get("vendor"))
        .isEqualTo(new CoxswainConfiguration.Limiter(2, 50, 4, 50));
  }

  @Test
  void whatCannotBeShared_isToldWithItsKeyAndLine() throws Exception {
    Path burst =
        write(
            "sharedLimiter: {enabled: true, service: a}\nlimiters: {vendor: {rate: 1000, burst: 1}}\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(burst, Map.of(), List.of()))
        .hasMessageStartingWith(burst + ":4: limiters.vendor.burst: 1 is too small for 1000.0");
    Path reserved =
        write(
            "sharedLimiter: {enabled: true, service: a}\ncontrollers: {demo: {composition: maxOf}}\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(reserved, Map.of(), List.of()))
        .hasMessageStartingWith(
            reserved + ":4: controllers.demo.composition: expected admission or backoffOnly");
  }

  @Test
  void aBurstTooSmallForSharing_isFineWithoutIt() throws Exception {
    assertThat(load("limiters: {vendor: {rate: 1000, burst: 1}}").limiters()).containsKey("vendor");
  }

  @Test
  void moreReplicasThanASharedLimiterHas_areForHostsWithoutOne() throws Exception {
    String many = "membership: {maxReplicas: 101}\n";
    assertThat(load(many).membership().maxReplicas()).isEqualTo(101);
    Path file = write(many + "sharedLimiter: {enabled: true, service: others}\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(file, Map.of(), List.of()))
        .hasMessageContaining(
            ":3: membership.maxReplicas: expected at most 100 with sharedLimiter.enabled");
  }

  private CoxswainConfiguration load(String yaml) throws Exception {
    return ConfigurationLoader.load(write(yaml), Map.of(), List.of());
  }

  private Path write(String yaml) throws IOException {
    return Files.writeString(folder.resolve("config.yaml"), HEADER + yaml);
  }
}
