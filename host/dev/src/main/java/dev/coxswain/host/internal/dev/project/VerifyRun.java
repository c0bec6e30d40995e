// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.dev.DevToken;
import dev.coxswain.host.internal.dev.FreePorts;
import dev.coxswain.host.internal.dev.ReplicaProcess;
import dev.coxswain.host.internal.dev.SessionOwner;
import dev.coxswain.host.internal.dev.project.AccessLog.Request;
import dev.coxswain.host.internal.dev.project.VerifyClient.Look;
import dev.coxswain.host.internal.dev.project.WebhookCheck.Registered;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One verification: an API server in this process, which enforces the rights, and a replica of the project in
 * another one.
 *
 * <p>Thread rule: {@link #run} on one thread, which is blocked; {@link #close} on any.
 */
final class VerifyRun implements AutoCloseable {

  private static final Duration LOOK = Duration.ofMillis(200);

  /** As long as nothing is done before it counts as settled; events of a watch take less. */
  private static final Duration QUIET = Duration.ofSeconds(2);

  private static final Duration END_LIMIT = Duration.ofSeconds(3);
  private static final int LOG_LINES = 20;

  /** Without most of a stack trace, which is on the same line. */
  private static final int LINE_LENGTH = 400;

  private final VerifyPlan plan;
  private final ProjectManifests manifests;
  private final VerifyReport report;
  private final long deadline;
  private final AccessLog access;
  private final Deque<String> log = new ArrayDeque<>();
  private volatile boolean closing;
  private volatile @Nullable EmbeddedApiServer server;
  private volatile @Nullable ReplicaProcess replica;
  private volatile @Nullable Path folder;

  /**
   * Creates a run.
   *
   * @param manifests the objects of the chart, with the rules in force
   * @param deadline the time of the nanosecond clock at which all has to have ended
   */
  VerifyRun(VerifyPlan plan, ProjectManifests manifests, VerifyReport report, long deadline) {
    this.plan = plan;
    this.manifests = manifests;
    this.report = report;
    this.deadline = deadline;
    this.access = new AccessLog(plan.account(), plan.role());
  }

  /** Runs all checks; those that depend on one that failed are left out. */
  void run() throws HostException, IOException, InterruptedException {
    Path made = Files.createTempDirectory(SessionFile.FOLDER_PREFIX);
    folder = made;
    SessionOwner.write(made);
    EmbeddedApiServer api =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withTokens(List.of(token()))
                .withPatience(Duration.ofNanos(left())));
    server = api;
    install(api);
    api.observeAccess(access::add);
    DevToken token = DevToken.make(made);
    boolean complete = false;
    ReplicaReport ready = started(api, made, token);
    if (ready != null) {
      try (VerifyClient client = new VerifyClient(ready.admin(), token.value())) {
        if (caches(client)) {
          webhooks(api);
          complete = settle(client, apply(api));
        }
      } catch (IOException e) {
        if (closing) {
          throw e; // by a signal: the report ends here
        }
        report.failed("replica", "does not respond any more: " + e, lastLines());
      }
    }
    rights(complete);
  }

  private Token token() {
    return new Token(
        UUID.randomUUID().toString(),
        plan.account(),
        List.of("system:serviceaccounts", "system:serviceaccounts:" + plan.namespace()));
  }

  private long left() {
    return Math.max(1, deadline - System.nanoTime());
  }

  private boolean over() {
    return System.nanoTime() - deadline >= 0;
  }

  private void install(EmbeddedApiServer api) throws HostException {
    Set<String> names = new LinkedHashSet<>();
    List<JsonObject> definitions = new ArrayList<>(plan.definitions());
    definitions.forEach(definition -> names.add(ProjectManifests.name(definition)));
    // Those of classes are newer than those that are stored beside them.
    plan.examples().definitions(true).stream()
        .filter(definition -> names.add(ProjectManifests.name(definition)))
        .forEach(definitions::add);
    try {
      definitions.forEach(definition -> api.apply(definition.toString()));
      namespace(api, plan.namespace());
      manifests.objects().forEach(object -> api.apply(object.toString()));
    } catch (IllegalArgumentException e) {
      throw new HostException("the API server refuses an object: " + e.getMessage(), e);
    }
    if (names.isEmpty()) {
      report.skipped("definitions", "there is none");
    } else {
      report.passed("definitions", "accepted: " + String.join(", ", names));
    }
  }

  private static void namespace(EmbeddedApiServer api, String name) {
    api.apply("{apiVersion: v1, kind: Namespace, metadata: {name: \"%s\"}}".formatted(name));
  }

  private @Nullable ReplicaReport started(EmbeddedApiServer api, Path made, DevToken token)
      throws HostException, IOException {
    List<String> arguments = new ArrayList<>();
    Path kubeconfig = DevToken.write(made.resolve("kubeconfig"), api.kubeconfig());
    arguments.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    int port = FreePorts.find(1).getFirst();
    for (String setting : plan.settings(manifests.config(), port)) {
      arguments.addAll(List.of("--set", setting));
    }
    arguments.addAll(plan.arguments());
    for (String setting :
        List.of("admin.auth.mode=tokenFile", "admin.auth.tokenFile=" + token.list())) {
      arguments.addAll(List.of("--set", setting));
    }
    ReplicaProcess process;
    synchronized (this) {
      if (closing) {
        throw new HostException("stopped during the start");
      }
      process =
          ReplicaProcess.start(
              plan.project().shortName(),
              DevSession.classPath(false, plan.project().jars()),
              arguments,
              this::logged);
      replica = process;
    }
    try {
      while (!over() && !access.complete(QUIET)) {
        ReplicaReport ready = process.awaitReady(LOOK);
        if (ready != null) {
          report.passed("start", "ready as " + plan.account());
          return ready;
        }
      }
      report.failed(
          "start",
          over() ? "not ready in time" : "not ready, as rights are missing",
          over() ? lastLines() : List.of());
    } catch (HostException e) {
      report.failed("start", String.valueOf(e.getMessage()), lastLines());
    }
    return null;
  }

  private void logged(String line) {
    synchronized (log) {
      if (log.size() == LOG_LINES) {
        log.removeFirst();
      }
      log.addLast(line.substring(0, Math.min(line.length(), LINE_LENGTH)));
    }
  }

  private List<String> lastLines() {
    synchronized (log) {
      return List.copyOf(log);
    }
  }

  private boolean caches(VerifyClient client) throws IOException, InterruptedException {
    while (true) {
      List<Look> all = client.controllers();
      List<Look> stopped = all.stream().filter(look -> !look.runs()).toList();
      List<String> open = client.caches(false);
      if (stopped.isEmpty() && open.isEmpty()) {
        report.passed(
            "caches",
            "%d synced for %s"
                .formatted(
                    client.caches(true).size(),
                    all.stream().map(Look::name).collect(Collectors.joining(", "))));
        return true;
      }
      if (over() || access.complete(QUIET)) {
        List<String> details = new ArrayList<>(open);
        stopped.forEach(look -> details.add(look.describe()));
        report.failed("caches", "not synced", details);
        return false;
      }
      pause();
    }
  }

  private void webhooks(EmbeddedApiServer api) throws InterruptedException {
    if (!plan.hasWebhooks()) {
      report.skipped("webhooks", "none is declared");
      return;
    }
    while (true) {
      List<String> missing = new ArrayList<>();
      List<Registered> registered = WebhookCheck.registered(plan.rights(), objects(api), missing);
      if (missing.isEmpty() || over() || access.complete(QUIET)) {
        List<String> problems = new ArrayList<>();
        missing.forEach(name -> problems.add(name + ": not registered"));
        for (Registered webhook : registered) {
          String problem = WebhookCheck.call(webhook);
          if (!problem.isEmpty()) {
            problems.add(problem);
          }
        }
        if (problems.isEmpty()) {
          report.passed("webhooks", registered.size() + " registered, each answers");
        } else {
          report.failed("webhooks", "some do not answer", problems);
        }
        return;
      }
      pause();
    }
  }

  private static List<JsonObject> objects(EmbeddedApiServer api) {
    return api.state().objects().stream()
        .map(text -> JsonParser.parseString(text).getAsJsonObject())
        .toList();
  }

  /** Applies the examples as a user does; returns those that were refused. */
  private List<String> apply(EmbeddedApiServer api) {
    List<JsonObject> examples = plan.examples().definitions(false);
    Set<String> namespaces = new LinkedHashSet<>();
    examples.forEach(
        object -> namespaces.add(Json.text(object.getAsJsonObject("metadata"), "namespace")));
    namespaces.remove("");
    namespaces.forEach(name -> namespace(api, name));
    List<String> refused = new ArrayList<>();
    for (JsonObject object : examples) {
      try {
        api.applyReviewed(object.toString());
      } catch (IllegalArgumentException e) {
        refused.add(ProjectManifests.name(object) + ": " + e.getMessage());
      }
    }
    return refused;
  }

  /** Returns whether the controllers have settled, with or without objects. */
  private boolean settle(VerifyClient client, List<String> refused)
      throws IOException, InterruptedException {
    int count = plan.examples().definitions(false).size();
    long since = System.nanoTime();
    List<Look> open = List.of();
    while (System.nanoTime() - since < QUIET.toNanos()) {
      List<Look> now = client.controllers().stream().filter(look -> !look.isQuiet()).toList();
      open = now;
      if (!now.isEmpty()) {
        since = System.nanoTime();
      }
      if (over() || access.complete(QUIET)) {
        break;
      }
      pause();
    }
    List<String> details = new ArrayList<>(refused);
    for (Look look : open) {
      details.add(look.describe());
      details.addAll(look.failing() > 0 ? client.failures(look.name()) : List.of());
    }
    if (!details.isEmpty()) {
      report.failed(
          "objects",
          refused.isEmpty() ? "the controllers do not settle" : "some are refused",
          details);
    } else if (over()) {
      report.failed("objects", "the time is over", List.of());
    } else if (count == 0) {
      report.skipped("objects", "there is none: name some with --objects");
    } else {
      report.passed(
          "objects", "%d of %s, the controllers settle".formatted(count, plan.examples().place()));
    }
    return details.isEmpty() && !over();
  }

  /**
   * Checks the rules.
   *
   * @param complete whether the run got to its end: only then what was not used is not needed
   */
  private void rights(boolean complete) {
    List<Request> forbidden = access.forbidden();
    if (forbidden.isEmpty()) {
      report.passed("rights", "no request was forbidden");
    } else {
      List<String> details = new ArrayList<>();
      forbidden.forEach(request -> details.add(request.describe()));
      RightsCheck.toAdd(forbidden).forEach(rule -> details.add("add: " + rule));
      report.failed("rights", "missing", details);
    }
    if (plan.rules() == null) {
      List<String> unused =
          complete
              ? RightsCheck.unused(plan.rights().controllers(), access.used()).stream()
                  .map(rule -> "not used in this run: " + rule)
                  .toList()
              : List.of();
      report.skipped("rules", "taken from the chart; --rules checks your own", unused);
      return;
    }
    List<String> changes = new ArrayList<>();
    RightsCheck.missingForCaches(plan.rules(), plan.rights().controllers())
        .forEach(rule -> changes.add("add, for a cache: " + rule));
    if (complete) {
      changes.addAll(
          RightsCheck.toRemove(plan.rules(), plan.rights().controllers(), access.used()));
    }
    if (changes.isEmpty() && !complete) {
      report.skipped("rules", "the run did not get to its end");
    } else if (changes.isEmpty()) {
      report.passed("rules", "each is declared or used");
    } else {
      report.failed("rules", "not what the controllers need", changes);
    }
  }

  private void pause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.min(LOOK.toNanos(), left()));
  }

  /** Ends the processes and deletes the files. May be called again. */
  @Override
  public synchronized void close() {
    closing = true;
    ReplicaProcess process = replica;
    if (process != null) {
      process.stop();
      process.awaitEnd(END_LIMIT);
      replica = null;
    }
    EmbeddedApiServer api = server;
    if (api != null) {
      api.stop();
      server = null;
    }
    Path made = folder;
    if (made != null) {
      DevSession.delete(made);
      folder = null;
    }
  }
}
