// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.informer.ForeignTables;
import dev.coxswain.bench.informer.PodTables;
import dev.coxswain.bench.informer.SlotLoadTables;
import dev.coxswain.bench.limiter.LimiterTables;
import dev.coxswain.bench.queue.DelayTables;
import dev.coxswain.bench.queue.QueueTables;
import dev.coxswain.bench.run.Plan;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every section of {@code bench/run} prints a row for each subject, in a tiny size. */
@Execution(ExecutionMode.CONCURRENT) // nothing is measured
class EveryBenchmarkRunsTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

  @BeforeAll
  static void letTwoBuildsRunAtOnce() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  void theHelp_listsEveryBenchmark() throws Exception {
    String help = Files.readString(Path.of(System.getProperty("basedir", "."), "run"));
    for (String name : BenchMain.names()) {
      assertThat(help).containsPattern("(?m)^#   " + name + " +[a-z]");
    }
  }

  @Test
  void queue() throws Exception {
    QueueTables.queue(Plan.SMOKE, out);
    assertRows("coxswain", "officialJava", "linkedHashSet");
  }

  @Test
  void inbox() throws Exception {
    QueueTables.inbox(Plan.SMOKE, out);
    assertRows("coxswain", "officialJava", "coxswainReconciling", "officialJavaReconciling");
  }

  @Test
  void insert() throws Exception {
    DelayTables.insert(Plan.SMOKE, out);
    assertRows("coxswain", "delayQueue", "delayQueueAndMap", "officialJava");
  }

  @Test
  void memory() throws Exception {
    DelayTables.memory(Plan.SMOKE, out);
    assertRows("coxswain", "delayQueue", "delayQueueAndMap", "officialJava");
  }

  @Test
  void million_losesNothingAndStartsNothingEarly() {
    DelayTables.million(Plan.SMOKE, out);
    assertRows("coxswain", "delayQueue", "officialJava");
    assertThat(cells("coxswain")).as("lost, early, twice").startsWith("0", "0", "0");
  }

  @Test
  void lateness_losesNothingAndStartsNothingEarly() {
    DelayTables.lateness(Plan.SMOKE, out);
    assertRows("coxswain", "coxswainPaced", "coxswainBlocking", "delayQueue", "officialJavaPaced");
    assertThat(cells("coxswain")).as("lost, early, twice").startsWith("0", "0", "0");
    assertThat(cells("coxswainBlocking")).as("lost, early, twice").startsWith("0", "0", "0");
  }

  @Test
  void pods_allAreCachedAndToldOf() throws Exception {
    PodTables.pods(Plan.SMOKE, out);
    // Ten pods may cost less processor time than is counted, so a ratio may be missing.
    for (String subject : List.of("coxswain", "coxswainReading", "coxswainPages", "officialJava")) {
      assertThat(cells(subject)).as(subject).hasSize(9);
    }
  }

  @Test
  void loads_keepTheSameObjects() throws Exception {
    SlotLoadTables.loads(Plan.SMOKE, out);
    assertRows("key", "namespace");
  }

  @Test
  void foreign_eachSubjectReceivesEverything() throws Exception {
    ForeignTables.foreign(Plan.SMOKE, out);
    for (String subject :
        List.of("okhttp", "okhttpUnlimited", "socket", "foreign", "foreignByOwner", "kept")) {
      assertThat(cells(subject)).as(subject).hasSize(6);
    }
  }

  @Test
  void limiter_keepsTheCap() throws Exception {
    LimiterTables.limiter(Plan.SMOKE, out);
    for (String subject : List.of("coxswain", "coxswainClaim", "bucket4j", "bucket4jBatching")) {
      assertThat(cells(subject)).as(subject).hasSize(8);
      assertThat(cells(subject).get(6)).as("over the cap, %s", subject).isEqualTo("0");
    }
  }

  private void assertRows(String... subjects) {
    for (String subject : subjects) {
      assertThat(cells(subject)).as(subject).isNotEmpty().noneMatch(cell -> cell.equals("-"));
    }
  }

  private List<String> cells(String subject) {
    return printed
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("| " + subject + " "))
        .findFirst()
        .map(line -> Arrays.stream(line.split("\\|")).map(String::trim).skip(2).toList())
        .orElseThrow(() -> new AssertionError(subject + " has no row in " + printed));
  }
}
