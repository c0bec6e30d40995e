// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.controller.Conditions;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.view.SlotView;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.ControllerTelemetry.Outcome;
import dev.coxswain.testing.SelfSigned;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.Phase;
import io.micrometer.core.instrument.Counter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class HostMetricsTest {

  private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{(.*)})? \\S+");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
  private static final String METRICS_DOC = "../docs/reference/metrics.md";

  private static final LimiterStatus SHARED =
      new LimiterStatus(
          "one",
          LimiterStatus.State.RUNNING,
          3,
          2,
          "127.0.0.1:5701",
          Set.of("default"),
          Set.of(),
          List.of(
              new LimiterStatus.Limiter(
                  "default",
                  10,
                  100,
                  null,
                  "on purpose",
                  80,
                  0.4,
                  4,
                  4,
                  4,
                  List.of(),
                  7,
                  5,
                  3,
                  2,
                  1,
                  4,
                  new LimiterStatus.WorstWindow(-9, -8, -7.5, 12, 0))));
  private static final ReplicaLeaseStatus LEASES =
      new ReplicaLeaseStatus(OptionalInt.of(2), "one_1", true, true, 3, 5, List.of(), Set.of(), "");

  private final HostMetrics metrics = new HostMetrics("1.2.3");
  private final VirtualTime time = new VirtualTime();
  private final Conditions conditions = new Conditions("demo", time);
  private final ControllerTelemetry telemetry = metrics.controller("demo", () -> null, conditions);

  private final X509Certificate certificate;

  HostMetricsTest(@TempDir Path folder) throws Exception {
    certificate =
        (X509Certificate)
            SelfSigned.add(folder.resolve("keys.p12"), "one", "CN=one", "-validity", "10")
                .getCertificate("one");
    metrics.startFailures("demo");
    metrics.owner("demo", () -> Duration.ZERO);
    metrics.refusedConnections("metrics");
    metrics.admin();
    metrics.webhook("/validate/demo/core/v1/configmaps");
    metrics.historyFailures();
    metrics.history(() -> 0);
    metrics.log(() -> 0);
    metrics.certificates(() -> Map.of("admin", certificate));
    metrics.carriers(() -> Duration.ZERO);
    metrics.spans("exported");
    metrics.limiters().local(new LocalRetryBudget("default", 10, 100, Clock.system()));
    metrics.membership(() -> LEASES, () -> 0);
    metrics.limiters().shared(() -> SHARED);
    metrics.slots(() -> SlotView.NONE.statistics(), () -> false, () -> 0);
    ConfigurationStatus configuration = ConfigurationStatus.started("", time.instant());
    ReloadMetrics.register(metrics.registry(), () -> configuration);
    metrics.leader("coxswain", () -> true);
    metrics.restClient("127.0.0.1:8001", "");
    metrics.restClient("127.0.0.1:8001", "eu");
    metrics.caches(() -> List.of(cache("Pod", 3, 5), cache("Pod", 4, 9), cache("Job", 1, 2)), time);
  }

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void everyMeter_isScrapedUnderItsName_withItsLabels_beforeAnythingHappened() {
    Map<String, Set<String>> labels = labelsByFamily();
    for (Meters meter : Meters.values()) {
      String sample = meter.kind() == Meters.Kind.HISTOGRAM ? meter.id() + "_count" : meter.id();
      // A label whose value is empty is the same as none, and so is left out by the format.
      Set<String> expected = new TreeSet<>(meter.labels());
      assertThat(labels).as(sample).containsKey(sample);
      assertThat(labels.get(sample)).as(sample).isEqualTo(expected);
    }
  }

  @Test
  void nothingIsScraped_thatIsNotKnown() {
    Set<String> registered = new TreeSet<>();
    for (Meters meter : Meters.values()) {
      registered.add(meter.id());
      if (meter.kind() == Meters.Kind.HISTOGRAM) {
        registered.addAll(
            List.of(
                meter.id() + "_count",
                meter.id() + "_sum",
                meter.id() + "_bucket",
                meter.id() + "_max"));
      }
    }
    assertThat(labelsByFamily().keySet())
        .filteredOn(name -> !name.startsWith("jvm_"))
        .isSubsetOf(registered);
  }

  @Test
  void allValuesOfLabels_areThereFromTheStart() {
    assertThat(scrape())
        .contains(
            "controller_runtime_reconcile_total{controller=\"demo\",result=\"error\"} 0.0",
            "controller_runtime_reconcile_total{controller=\"demo\",result=\"requeue\"} 0.0",
            "controller_runtime_reconcile_total{controller=\"demo\",result=\"requeue_after\"} 0.0",
            "controller_runtime_reconcile_total{controller=\"demo\",result=\"success\"} 0.0",
            "coxswain_queue_items{controller=\"demo\",phase=\"waitingToken\"} 0.0",
            "coxswain_limiter_acquire_total{limiter=\"default\",result=\"denied\"} 0.0",
            "leader_election_master_status{name=\"coxswain\"} 1.0");
  }

  @Test
  void aCondition_isOneWhileItStands() {
    String sample = "coxswain_controller_condition{controller=\"demo\",type=\"sourceFailed\"} ";
    assertThat(scrape()).contains(sample + "0.0");
    conditions.raise(ConditionType.SOURCE_FAILED, "it ended");
    assertThat(scrape()).contains(sample + "1.0");
    conditions.clear(ConditionType.SOURCE_FAILED);
    assertThat(scrape()).contains(sample + "0.0");
  }

  @Test
  void theSharedLimiter_showsItsPartsAndItsReplicaLease() {
    System.gc(); // counters hold their state weakly
    assertThat(scrape())
        .contains(
            "coxswain_limiter_degraded{limiter=\"default\"} 1.0",
            "coxswain_limiter_granted_total{limiter=\"default\",source=\"pool\"} 7.0",
            "coxswain_limiter_granted_total{limiter=\"default\",source=\"floor\"} 5.0",
            "coxswain_limiter_expired_permits_total{limiter=\"default\"} 2.0",
            "coxswain_limiter_late_permits_total{limiter=\"default\"} 1.0",
            "coxswain_limiter_pool_failures_total{limiter=\"default\"} 4.0",
            "coxswain_limiter_worst_window_excess{limiter=\"default\"} -7.5",
            "coxswain_limiter_members 3.0",
            "coxswain_limiter_majority 2.0",
            "coxswain_replica_ordinal 2.0",
            "coxswain_replica_lease_acting 1.0",
            "coxswain_replica_leases_held 0.0");
  }

  /** The snapshot of a shared budget has those of all replicas, which a sum would count again. */
  @Test
  void theWaitersOfASharedLimiter_areThoseOfThisReplica() {
    try (HostMetrics other = new HostMetrics("1.2.3")) {
      other.limiters().local(new SharedSnapshot(30));
      other.limiters().shared(() -> SHARED);
      assertThat(other.scrape(null).text())
          .contains("coxswain_limiter_waiters{limiter=\"default\"} 4.0\n");
    }
  }

  @Test
  void aCertificate_hasTheTimesOfItsValidity() {
    long end = certificate.getNotAfter().toInstant().getEpochSecond();
    long start = certificate.getNotBefore().toInstant().getEpochSecond();
    assertThat(end - start).isEqualTo(TimeUnit.DAYS.toSeconds(10));
    assertThat(value("coxswain_certificate_not_after_timestamp_seconds{server=\"admin\"}"))
        .isEqualTo((double) end);
    assertThat(value("coxswain_certificate_not_before_timestamp_seconds{server=\"admin\"}"))
        .isEqualTo((double) start);
  }

  private double value(String sample) {
    return scrape().stream()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void caches_areOneRowForEachName_withTheOldestAge() {
    assertThat(scrape())
        .contains(
            "coxswain_cache_objects{cache=\"Pod\"} 7.0",
            "coxswain_cache_objects{cache=\"Job\"} 1.0",
            "coxswain_cache_bytes{cache=\"Pod\"} 700.0",
            "coxswain_cache_synced{cache=\"Pod\"} 1.0",
            "coxswain_cache_age_seconds{cache=\"Pod\"} 9.0",
            "coxswain_cache_lists_total{cache=\"Pod\"} 4.0",
            "coxswain_cache_watches_total{cache=\"Pod\"} 6.0",
            "coxswain_cache_events_total{cache=\"Pod\"} 16.0",
            "coxswain_cache_event_bytes_total{cache=\"Pod\"} 18.0",
            "coxswain_cache_events_dropped_total{cache=\"Pod\"} 20.0",
            "coxswain_cache_event_bytes_dropped_total{cache=\"Pod\"} 22.0",
            "coxswain_cache_listed_total{cache=\"Pod\"} 24.0",
            "coxswain_cache_listed_bytes_total{cache=\"Pod\"} 26.0",
            "coxswain_cache_watch_ranges{cache=\"Pod\"} 14.0",
            "coxswain_cache_watch_selected{cache=\"Pod\"} 1.0",
            "coxswain_cache_undecodable_total{cache=\"Pod\"} 8.0",
            "coxswain_cache_index_failures_total{cache=\"Pod\"} 10.0");
  }

  private CacheStatus cache(String name, int objects, long secondsAgo) {
    return new CacheStatus(
        name,
        CacheStatus.Phase.WATCHING,
        true,
        objects,
        objects * 100L,
        1,
        2,
        3,
        4,
        5,
        "",
        time.instant().minusSeconds(secondsAgo),
        false,
        List.of(),
        new CacheStatus.Watched(CacheStatus.Selection.SERVER, 6, 7, 8, 9, 10, 11, 12, 13));
  }

  @Test
  void buckets_areThoseOfTheReferenceProjects() {
    assertThat(bounds("controller_runtime_reconcile_time_seconds"))
        .hasSize(41)
        .startsWith("0.005", "0.01", "0.025", "0.05", "0.1", "0.15")
        .endsWith("40.0", "50.0", "60.0", "+Inf");
    for (String name :
        List.of("workqueue_queue_duration_seconds", "workqueue_work_duration_seconds")) {
      assertThat(bounds(name))
          .hasSize(13)
          .startsWith("1.0E-8", "1.0E-7", "1.0E-6")
          .endsWith("100.0", "1000.0", "+Inf");
    }
  }

  @Test
  void whatAControllerTells_isCounted() {
    telemetry.added(0);
    telemetry.merged(Phase.DELAYED);
    telemetry.delayed();
    telemetry.started(TimeUnit.MILLISECONDS.toNanos(3));
    telemetry.finished(Outcome.ERROR, TimeUnit.MILLISECONDS.toNanos(7));
    telemetry.finished(Outcome.SUCCESS, TimeUnit.MILLISECONDS.toNanos(1));
    telemetry.terminal();
    telemetry.panicked();
    telemetry.lostOwnership();
    telemetry.timedOut();
    telemetry.userCodeFailed();
    telemetry.wokeUp(TimeUnit.MICROSECONDS.toNanos(5));
    telemetry.tokenGranted(TimeUnit.SECONDS.toNanos(2));
    telemetry.rejected();
    assertThat(scrape())
        .contains(
            "workqueue_adds_total{controller=\"demo\",name=\"demo\"} 1.0",
            "workqueue_retries_total{controller=\"demo\",name=\"demo\"} 1.0",
            "coxswain_queue_dedup_total{controller=\"demo\",phase=\"delayed\"} 1.0",
            "controller_runtime_reconcile_total{controller=\"demo\",result=\"error\"} 1.0",
            "controller_runtime_reconcile_errors_total{controller=\"demo\"} 1.0",
            "controller_runtime_terminal_reconcile_errors_total{controller=\"demo\"} 1.0",
            "controller_runtime_reconcile_panics_total{controller=\"demo\"} 1.0",
            "controller_runtime_reconcile_timeouts_total{controller=\"demo\"} 1.0",
            "controller_runtime_reconcile_time_seconds_count{controller=\"demo\"} 2",
            "controller_runtime_reconcile_time_seconds_sum{controller=\"demo\"} 0.008",
            "coxswain_lost_ownership_total{controller=\"demo\"} 1.0",
            "coxswain_user_code_errors_total{controller=\"demo\"} 1.0",
            "coxswain_queue_rejected_total{controller=\"demo\"} 1.0",
            "coxswain_queue_wakeup_lag_seconds_bucket{controller=\"demo\",le=\"1.0E-5\"} 1",
            "coxswain_limiter_wait_seconds_sum{controller=\"demo\"} 2.0");
  }

  @Test
  void failuresAreCountedByCause_forTheFirstTwentyOfAController() {
    for (int round = 0; round < 2; round++) {
      for (int cause = 0; cause < 25; cause++) {
        telemetry.failed("%012x".formatted(cause));
      }
    }
    List<String> series =
        scrape().stream().filter(line -> line.startsWith("coxswain_reconcile_failures")).toList();
    assertThat(series)
        .hasSize(21)
        .contains(
            "coxswain_reconcile_failures_total{cause=\"000000000013\",controller=\"demo\"} 2.0",
            "coxswain_reconcile_failures_total{cause=\"other\",controller=\"demo\"} 10.0");
  }

  /** The name of such a pool is the address of another replica, and those change for ever. */
  @Test
  void poolsOfConnections_haveNoSeries() {
    Counter.builder("vertx_pool_completed_total")
        .tags("pool_type", "http", "pool_name", "10.0.0.7:8090")
        .register(metrics.registry());
    Counter.builder("vertx_pool_completed_total")
        .tags("pool_type", "worker", "pool_name", "own")
        .register(metrics.registry());
    assertThat(scrape())
        .contains("vertx_pool_completed_total{pool_name=\"own\",pool_type=\"worker\"} 0.0")
        .noneMatch(line -> line.contains("10.0.0.7"));
  }

  @Test
  void theFormatFollowsTheAcceptHeader() {
    assertThat(metrics.scrape(null).contentType()).startsWith("text/plain");
    HostMetrics.Rendered open = metrics.scrape("application/openmetrics-text; version=1.0.0");
    assertThat(open.contentType()).startsWith("application/openmetrics-text");
    assertThat(open.text()).endsWith("# EOF\n");
  }

  @Test
  void theDocumentation_listsExactlyTheMeters() throws Exception {
    List<String> expected = new ArrayList<>();
    for (Meters meter : Meters.values()) {
      expected.add(
          "| `"
              + meter.id()
              + "` | "
              + meter.kind().name().toLowerCase(java.util.Locale.ROOT)
              + " | "
              + (meter.labels().isEmpty() ? "" : "`" + String.join("`, `", meter.labels()) + "`")
              + " | "
              + meter.help()
              + " |");
    }
    String page = Files.readString(Path.of(METRICS_DOC));
    // MonitoringIT compares the others with a running host.
    assertThat(page.substring(0, page.indexOf("## Names of Vert.x and of the JVM")).lines())
        .filteredOn(line -> line.startsWith("| `"))
        .containsExactlyElementsOf(expected);
  }

  private List<String> scrape() {
    return metrics.scrape(null).text().lines().toList();
  }

  private List<String> bounds(String family) {
    return scrape().stream()
        .filter(line -> line.startsWith(family + "_bucket"))
        .map(line -> line.replaceAll(".*le=\"([^\"]*)\".*", "$1"))
        .toList();
  }

  private Map<String, Set<String>> labelsByFamily() {
    Map<String, Set<String>> result = new TreeMap<>();
    for (String line : scrape()) {
      Matcher sample = SAMPLE.matcher(line);
      if (sample.matches()) {
        Set<String> labels = result.computeIfAbsent(sample.group(1), _ -> new TreeSet<>());
        if (sample.group(2) != null) {
          Matcher label = LABEL.matcher(sample.group(2));
          while (label.find()) {
            labels.add(label.group(1));
          }
        }
      }
    }
    return result;
  }

  /** A budget that all replicas share, with what waits at all of them. */
  private record SharedSnapshot(int waiting) implements RetryBudget {
    @Override
    public String name() {
      return "default";
    }

    @Override
    public BudgetSnapshot snapshot() {
      return new BudgetSnapshot(name(), "hazelcast", 10, 100, 0, waiting, 0, 0, List.of());
    }

    @Override
    public Waiter openWaiter(String consumer, Runnable wake) {
      throw new UnsupportedOperationException();
    }
  }
}
