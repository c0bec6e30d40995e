// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.drill.herd.HerdDefinition;
import dev.coxswain.host.internal.jvm.HostJvm;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints a drill: as text, or each event as one line of JSON.
 *
 * <p>Thread rule: one thread.
 *
 * @param json whether JSON is printed
 */
record DrillOutput(PrintStream out, boolean json) {

  /** In milliseconds. */
  private static final int TENTH = 100;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Prints where the drill takes place, and the tasks. */
  void ready(DevSession.Report report, HerdPlan herd) {
    ReplicaReport first = report.replicas().getFirst();
    String repair =
        "curl -sS -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{\"data\":{\"%s\":\"10000\"}}'"
                .formatted(HerdDefinition.LIMIT)
            + " %s/api/v1/namespaces/default/configmaps/%s"
                .formatted(report.apiServer(), HerdDefinition.QUOTA);
    if (json) {
      event(
          Map.of(
              "event", "ready",
              "failing", herd.failing(),
              "admin", report.replicas().stream().map(ReplicaReport::admin).toList(),
              "adminToken", report.adminToken(),
              "apiServer", report.apiServer(),
              "kubeconfig", report.kubeconfig(),
              "repair", repair));
      return;
    }
    out.printf(
        """

        On-call drill: %,d objects fail, of seven causes, on %d replicas. When you begin, one replica dies.

          dashboard   %s/dashboard/#token=%s
          ctl, HTTP   export KUBECONFIG=%s ADMIN=%s ADMIN_TOKEN=%s
                      %s ctl get causes
                      curl -sS -H "Authorization: Bearer $ADMIN_TOKEN" $ADMIN/api/v1/causes
          repair      %s

        """,
        herd.failing(),
        report.replicas().size(),
        first.admin(),
        report.adminToken(),
        report.kubeconfig(),
        first.admin(),
        report.adminToken(),
        program(),
        repair);
    tasks(List.of(DrillTask.values()));
    out.println(
        "\n\"hint\" shows how the next task is done, \"tasks\" what is left, \"quit\" ends the drill.");
    out.flush();
  }

  /** Returns how to call this copy of Coxswain. */
  private static String program() {
    Path options = HostJvm.options(); // beside the launcher
    return options == null ? "coxswain" : options.resolveSibling("coxswain").toString();
  }

  /** Prints tasks. */
  void tasks(Collection<DrillTask> tasks) {
    if (!json) {
      tasks.forEach(task -> out.printf("  %d  %s%n", task.ordinal() + 1, task.text()));
    }
  }

  /** Prints a sentence for the reader. */
  void say(String text) {
    if (json) {
      event(Map.of("event", "remark", "text", text));
    } else {
      out.println(text);
    }
  }

  /** Prints that the time runs. */
  void begun() {
    if (json) {
      event(Map.of("event", "begun"));
    } else {
      out.println("The time runs.");
    }
  }

  /** Prints that a task is done. */
  void done(DrillTask task, Duration after) {
    if (json) {
      event(
          Map.of(
              "event",
              "done",
              "task",
              task.name().toLowerCase(Locale.ROOT),
              "millis",
              after.toMillis()));
    } else {
      out.printf("%s  done: %d  %s%n", clock(after), task.ordinal() + 1, task.text());
    }
  }

  /** Prints the result, with the tasks that were left out. */
  void ended(Duration lastTask, Duration healed, Collection<DrillTask> left) {
    if (json) {
      event(
          Map.of(
              "event",
              "healed",
              "tasksMillis",
              lastTask.toMillis(),
              "millis",
              healed.toMillis(),
              "left",
              left.stream().map(task -> task.name().toLowerCase(Locale.ROOT)).toList()));
      return;
    }
    out.printf(
        "%nAll %stasks were done after %s; the last object was repaired after %s.%n",
        left.isEmpty() ? "" : "other ", clock(lastTask), clock(healed));
    if (!left.isEmpty()) {
      out.println("Left:");
      tasks(left);
    }
  }

  private void event(Map<String, ?> values) {
    Map<String, Object> ordered = new LinkedHashMap<>();
    ordered.put("event", values.get("event"));
    ordered.putAll(values);
    try {
      out.println(JSON.writeValueAsString(ordered));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("plain values are always writable", e);
    }
    out.flush();
  }

  /** Returns a time as minutes and seconds with a decimal. */
  static String clock(Duration time) {
    return "%d:%02d.%d"
        .formatted(time.toMinutes(), time.toSecondsPart(), time.toMillisPart() / TENTH);
  }
}
