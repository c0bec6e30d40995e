// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.reload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.spi.Clock;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of the configuration that changes while the host runs. */
class ReloadTest {

  private static final String HEAD =
      """
      apiVersion: config.coxswain.dev/v1alpha1
      kind: CoxswainConfiguration
      """;

  private final Vertx vertx = Vertx.vertx();
  private final Parts parts = new Parts();
  @TempDir private Path folder;
  private Path file = Path.of("none");
  private @Nullable ReloadComponent followed;

  /** What a reload has changed. */
  private static final class Parts implements ReloadComponent.Target {
    private final List<Map<String, Limiter>> limits = new ArrayList<>();
    private final List<Logging> levels = new ArrayList<>();
    private final List<CoxswainConfiguration> concurrency = new ArrayList<>();
    private @Nullable String condition;
    private @Nullable String refusal;

    @Override
    public void limits(Map<String, Limiter> next) {
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
      limits.add(next);
    }

    @Override
    public void levels(Logging logging) {
      levels.add(logging);
    }

    @Override
    public void controllers(CoxswainConfiguration next) {
      concurrency.add(next);
    }

    @Override
    public void rejected(@Nullable String error) {
      condition = error;
    }

    private Limiter limiter() {
      return Objects.requireNonNull(limits.getLast().get("default"));
    }
  }

  private void start(String content, String... settings) throws Exception {
    file = Files.writeString(folder.resolve("config.yaml"), HEAD + content);
    follow(file, settings);
  }

  private void follow(Path path, String... settings) throws Exception {
    ConfigurationFile from = ConfigurationFile.read(path, Map.of(), List.of(settings));
    ReloadComponent reload =
        new ReloadComponent(vertx, from, _ -> {}, from.configuration(), parts, Clock.system());
    followed = reload;
    reload.start().await();
    reload.stop().await(); // from now on only the test looks
  }

  private ReloadComponent reload() {
    return Objects.requireNonNull(followed);
  }

  @AfterEach
  void close() {
    reload().stop().await();
    vertx.close().await();
  }

  /** A change is used when two looks have found the same. */
  private ConfigurationStatus looked() {
    reload().look().await();
    reload().look().await();
    return reload().status();
  }

  private void write(String content) throws IOException {
    Files.writeString(file, HEAD + content);
  }

  @Test
  void aFileThatHasNotChanged_isNotReloaded() throws Exception {
    start("limiters: {default: {rate: 5, burst: 10}}");
    assertThat(looked().reloads()).isZero();
    assertThat(looked().state()).isEqualTo("current");
    assertThat(parts.limits).isEmpty();
  }

  @Test
  void aFileReplacedByRename_isReloaded_andItsKeysAreNamed() throws Exception {
    start("limiters: {default: {rate: 5, burst: 10}}");
    Path next =
        Files.writeString(
            folder.resolve("next"),
            HEAD
                + "limiters: {default: {rate: 6, burst: 10, maxRate: 8}}\n"
                + "controllers: {demo: {concurrency: 7}}\n"
                + "logging: {level: debug, levels: {dev.coxswain.k8s: trace}}\n");
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    ConfigurationStatus status = looked();
    assertThat(status.state()).isEqualTo("current");
    assertThat(status.reloads()).isEqualTo(1);
    assertThat(status.changed())
        .containsExactly(
            "controllers.demo.concurrency",
            "limiters.default.maxRate",
            "limiters.default.rate",
            "logging.level",
            "logging.levels.dev.coxswain.k8s");
    assertThat(parts.limiter()).isEqualTo(new Limiter(6, 10, 8, 10));
    assertThat(parts.levels.getLast().level()).isEqualTo(Logging.Level.DEBUG);
    assertThat(parts.concurrency.getLast().controller("demo").concurrency()).isEqualTo(7);
  }

  @Test
  void watchedNamespaces_areReloaded_andTheRestOfTheirSectionIsNot() throws Exception {
    start("kubernetes: {watchNamespaces: [a]}\ncontrollers: {demo: {watchNamespaces: [b]}}\n");
    write(
        "kubernetes: {kubeconfig: other, watchNamespaces: [c]}\n"
            + "controllers: {demo: {watchNamespaces: []}}\n");
    ConfigurationStatus status = looked();
    assertThat(status.changed())
        .containsExactly("controllers.demo.watchNamespaces", "kubernetes.watchNamespaces");
    assertThat(status.restart()).containsExactly("kubernetes.kubeconfig");
    assertThat(parts.concurrency.getLast().watchNamespaces("demo", Optional::empty))
        .contains(Set.of("c"));
    assertThat(parts.concurrency.getLast().kubernetes().kubeconfig()).isNull();
  }

  @Test
  void aMountedConfigMap_whoseLinkIsSwapped_isReloaded() throws Exception {
    Path one = Files.createDirectory(folder.resolve("..2026_1"));
    Path two = Files.createDirectory(folder.resolve("..2026_2"));
    Files.writeString(one.resolve("config.yaml"), HEAD);
    Files.writeString(two.resolve("config.yaml"), HEAD + "limiters: {default: {rate: 3}}");
    Path data = Files.createSymbolicLink(folder.resolve("..data"), one.getFileName());
    Path mounted = folder.resolve("config.yaml");
    Files.createSymbolicLink(mounted, Path.of("..data", "config.yaml"));
    follow(mounted);
    Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), two.getFileName());
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    assertThat(looked().changed())
        .containsExactly("limiters.default.maxRate", "limiters.default.rate");
    assertThat(parts.limiter().rate()).isEqualTo(3);
  }

  @Test
  void aFileThatIsHalfWritten_isNotUsed_untilItIsWhole() throws Exception {
    start("drainLimit: 10s\nlimiters: {default: {rate: 5, burst: 10}}\n");
    write(""); // truncated
    reload().look().await();
    write("drainLimit: 10s\n"); // valid, without the limiters
    reload().look().await();
    write("drainLimit: 10s\nlimiters: {default: {rate: 9, burst: 10}}\n");
    reload().look().await();
    assertThat(parts.limits).isEmpty();
    assertThat(reload().status().rejections()).isZero();
    assertThat(looked().changed())
        .containsExactly("limiters.default.maxRate", "limiters.default.rate");
    assertThat(parts.limiter().rate()).isEqualTo(9);
  }

  @Test
  void aFaultyFile_changesNothing_andIsReportedWithEachFault_untilItIsRepaired() throws Exception {
    start("limiters: {default: {rate: 5, burst: 10}}");
    write("limiters: {default: {rate: -1, burst: 20}}\nlogging: {level: loud}\n");
    ConfigurationStatus status = looked();
    assertThat(status.state()).isEqualTo("rejected");
    assertThat(status.errors()).hasSize(2);
    assertThat(status.errors().toString())
        .contains(file + ":4: logging.level: expected one of trace", "found \"loud\"")
        .contains(file + ":3: limiters.default.rate: expected a number");
    assertThat(parts.condition).contains("limiters.default.rate", "logging.level");
    assertThat(parts.limits).isEmpty();
    assertThat(looked().rejections()).as("reported once").isEqualTo(1);
    write("limiters: {default: {rate: 5, burst: 10}}");
    status = looked();
    assertThat(status.state()).isEqualTo("current");
    assertThat(status.rejectedAt()).isNull();
    assertThat(status.changed()).isEmpty();
    assertThat(parts.condition).isNull();
  }

  @Test
  void anUnknownKey_orNoYaml_orNoText_isRejected() throws Exception {
    start("");
    write("limitters: {}\n");
    assertThat(looked().errors().getFirst())
        .contains("limitters: unknown key, did you mean \"limiters\"?");
    write("a: [");
    assertThat(looked().errors().getFirst()).contains("not valid YAML");
    Files.write(file, (HEAD + "replicaName: \u00e4").getBytes(ISO_8859_1));
    assertThat(looked().errors()).containsExactly(file + ": not UTF-8 text");
    Files.writeString(file, "");
    assertThat(looked().errors().getFirst()).contains("expected apiVersion");
    assertThat(reload().status().rejections()).isEqualTo(4);
  }

  @Test
  void aMissingFile_isReported_andTheSameContentsWhenItIsBack_areInUse() throws Exception {
    start("limiters: {default: {rate: 5, burst: 10}}");
    byte[] contents = Files.readAllBytes(file);
    Files.delete(file);
    assertThat(looked().errors().toString()).contains("no file " + file);
    Files.write(file, contents);
    assertThat(looked().state()).isEqualTo("current");
    assertThat(parts.condition).isNull();
  }

  @Test
  void aKeyThatNeedsARestart_isNamed_andNeverInForce_untilItIsAsBefore() throws Exception {
    start("controllers: {demo: {concurrency: 2, reconcileTimeout: 5s}}\n");
    write(
        """
        drainLimit: 5s
        admin: {port: 9999, access: full}
        logging: {format: json}
        controllers: {demo: {concurrency: 3, reconcileTimeout: 9s}, other: {enabled: true}}
        limiters: {vendor: {rate: 1, burst: 5}, default: {rate: 20}}
        """);
    ConfigurationStatus status = looked();
    assertThat(status.state()).isEqualTo("restartNeeded");
    assertThat(status.restart())
        .contains(
            "admin.port",
            "controllers.demo.reconcileTimeout",
            "drainLimit",
            "limiters.vendor",
            "logging.format")
        .doesNotContain("controllers.other.enabled", "admin.host", "limiters.default.rate");
    CoxswainConfiguration next = parts.concurrency.getLast();
    assertThat(next.controller("demo").concurrency()).isEqualTo(3);
    assertThat(next.controller("demo").reconcileTimeout()).hasSeconds(5);
    assertThat(next.drainLimit()).hasSeconds(30);
    assertThat(next.admin().listener().port()).isEqualTo(8090);
    assertThat(next.logging().format()).isEqualTo(Logging.Format.TEXT);
    assertThat(parts.limits.getLast()).containsOnlyKeys("default");
    assertThat(parts.limiter().rate()).isEqualTo(20);
    write("drainLimit: 30000ms\ncontrollers: {demo: {concurrency: 2, reconcileTimeout: 5s}}\n");
    status = looked();
    assertThat(status.restart()).isEmpty();
    assertThat(parts.limiter()).isEqualTo(new Limiter(10, 100));
  }

  @Test
  void flags_winOverAChangedFile_asAtTheStart() throws Exception {
    start("limiters: {default: {rate: 5}}", "limiters.default.rate=7");
    write("limiters: {default: {rate: 50}}");
    ConfigurationStatus status = looked();
    assertThat(status.changed()).isEmpty();
    assertThat(parts.limiter().rate()).isEqualTo(7);
  }

  @Test
  void limitsThatCannotBeHadNow_rejectTheWholeFile() throws Exception {
    start("logging: {level: info}");
    parts.refusal = "limiters.default.burst: the override in force does not fit: end it first";
    write("logging: {level: debug}\nlimiters: {default: {burst: 3}}");
    assertThat(looked().errors()).containsExactly(parts.refusal);
    assertThat(parts.levels).isEmpty();
    assertThat(parts.concurrency).isEmpty();
    parts.refusal = null; // the override has ended
    assertThat(looked().state()).isEqualTo("current");
    assertThat(parts.limiter().burst()).isEqualTo(3);
    assertThat(parts.levels).hasSize(1);
  }

  @Test
  void secrets_areInNoStatus() throws Exception {
    start("");
    String secret = "a-secret-of-many-characters";
    Files.write(file, (HEAD + "sharedLimiter: {clusterSecret: " + secret + "}").getBytes(UTF_8));
    assertThat(looked().restart()).containsExactly("sharedLimiter.clusterSecret");
    assertThat(reload().status().toString()).doesNotContain(secret);
  }
}
