// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import com.google.gson.JsonObject;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Perturbation.Place;
import dev.coxswain.junit5.internal.run.ApiCall;
import dev.coxswain.junit5.internal.run.EventGate;
import dev.coxswain.junit5.internal.run.RunDriver;
import dev.coxswain.junit5.internal.run.RunPolicy;
import dev.coxswain.junit5.internal.run.TestReplica;
import dev.coxswain.junit5.internal.search.RunResult.SeenCall;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A run with one perturbation, or none.
 *
 * <p>Thread rule: as {@link RunPolicy}.
 */
class PerturbedPolicy extends RunPolicy {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** How long the other replica works before the stopped one goes on. */
  private static final Duration STOPPED = Duration.ofSeconds(1);

  private final @Nullable Perturbation perturbation;

  /** The namespaces of the requests of the reference. */
  private final Set<String> namespaces;

  private final List<SeenCall> calls = new ArrayList<>();
  private final Map<Integer, Integer> attemptsByStep = new HashMap<>();

  /** The versions before and after each write so far, the latest one last. */
  private final List<Map<String, Long>> versions = new ArrayList<>();

  /**
   * The most attempts for one request on a late cache. A controller that trusts it may undo for ever
   * what the server does, and then it would never come to rest.
   */
  private static final int ATTEMPTS_WHILE_LATE = 5;

  private @Nullable ScenarioRun run;
  private boolean done;

  /** The key of the watch that is late, and whether all requests were reconciled on its cache. */
  private @Nullable String late;

  private final Map<String, Integer> attemptsWhileLate = new HashMap<>();
  private boolean overdue;
  private boolean reconciledLate;
  private int lateSinceStep;

  /** The namespace whose slot another replica has. */
  private @Nullable String away;

  private final AtomicInteger selectors = new AtomicInteger();
  private int skippedStep;
  private boolean holdsAll;
  private Map<String, Long> restartVersions = Map.of();

  PerturbedPolicy(@Nullable Perturbation perturbation, Set<String> namespaces) {
    this.perturbation = perturbation;
    this.namespaces = namespaces;
  }

  /** Returns the policy of a run without a perturbation. */
  static PerturbedPolicy none() {
    return new PerturbedPolicy(null, Set.of());
  }

  void attach(ScenarioRun to) {
    run = to;
  }

  List<SeenCall> calls() {
    return calls;
  }

  /** Returns whether events are kept back: then the controllers cannot have done everything. */
  boolean holdsBack() {
    return late != null || holdsAll || away != null;
  }

  /** Returns the step that the controllers may have seen together with the next one only; 0 for none. */
  int skippedStep() {
    return skippedStep;
  }

  /** Returns the attempts after each step, by the number of steps that were done. */
  Map<Integer, Integer> attemptsByStep() {
    return attemptsByStep;
  }

  /** Returns whether the place of the perturbation was reached. */
  boolean happened() {
    return perturbation == null || done;
  }

  private ScenarioRun run() {
    return Objects.requireNonNull(run);
  }

  private RunDriver driver() {
    return run().driver();
  }

  private boolean is(Kind kind) {
    return perturbation != null && perturbation.kind() == kind;
  }

  private Perturbation now() {
    done = true;
    Perturbation happening = Objects.requireNonNull(perturbation);
    driver().log().mark(happening.text());
    return happening;
  }

  @Override
  public Response call(TestReplica replica, ApiCall call, Sender sender) throws IOException {
    calls.add(new SeenCall(call.shape(), call.write(), call.isCreate(), run().stepsDone()));
    Perturbation what = perturbation;
    if (what == null || done) {
      return sender.send();
    }
    if (call.isWrite() && what.kind() == Kind.STALE_RESTART && call.write() < what.at()) {
      versions.add(version());
      Response response = sender.send();
      versions.add(version());
      return response;
    }
    int number =
        switch (what.kind().place()) {
          case CALL -> call.number();
          case WRITE -> call.write();
          case ATTEMPT, EVENT -> 0;
        };
    return number == what.at() ? perturbed(replica, call, sender) : sender.send();
  }

  private Response perturbed(TestReplica replica, ApiCall call, Sender sender) throws IOException {
    Perturbation what = now();
    switch (what.kind()) {
      case CRASH_BEFORE -> throw crash(replica);
      case CRASH_AFTER -> {
        sender.send().close();
        throw crash(replica);
      }
      case STALE_RESTART -> {
        versions.add(version());
        sender.send().close();
        restartVersions = versions.get(versions.size() - what.by());
        holdsAll = true;
        throw crash(replica);
      }
      case HAND_OVER -> takeOver(replica);
      case CONFLICT -> fail(call, 409, Duration.ZERO);
      case TOO_MANY_REQUESTS -> fail(call, 429, RETRY_AFTER);
      case SERVER_ERROR -> fail(call, 500, Duration.ZERO);
      case TIMEOUT_BEFORE -> throw new SocketTimeoutException("timed out, without effect");
      case TIMEOUT_AFTER -> {
        sender.send().close();
        throw new SocketTimeoutException("timed out, took effect");
      }
      case USER_EDIT -> edit(call);
      case EARLY_STEP -> {
        skippedStep = run().stepsDone();
        run().stepEarly();
      }
      default -> {}
    }
    return sender.send();
  }

  private Map<String, Long> version() {
    return driver().server().settle();
  }

  private static IOException crash(TestReplica replica) {
    replica.crash();
    return new IOException("the process has crashed");
  }

  private void takeOver(TestReplica stopped) {
    stopped.freeze();
    stopped.loseOwnership();
    driver().startReplica(Map.of());
    driver().advance(STOPPED);
    driver().log().add(stopped.name(), "goes on");
    stopped.thaw();
    driver().serverChanged(); // its caches have not followed while it was stopped
    stopped.dropSlots();
  }

  private void fail(ApiCall call, int status, Duration retryAfter) {
    String path = call.path();
    driver()
        .server(call.cluster())
        .faults()
        .failNext(
            1, status, retryAfter, uri -> uri.startsWith(path) && !uri.contains("watch=true"));
  }

  private void edit(ApiCall call) {
    String path = call.path();
    JsonObject annotations = new JsonObject();
    annotations.addProperty(ClusterState.EDIT, "by a user");
    JsonObject metadata = new JsonObject();
    metadata.add("annotations", annotations);
    JsonObject patch = new JsonObject();
    patch.add("metadata", metadata);
    try {
      KubernetesRuntime.of(userOf(call.cluster()))
          .transport()
          .write(
              "PATCH",
              path.endsWith("/status") ? path.substring(0, path.lastIndexOf('/')) : path,
              Map.of(),
              patch,
              ApiTransport.MERGE_PATCH);
    } catch (ApiStatusException e) {
      driver().log().add("user", "cannot edit: " + e.getMessage());
    }
  }

  private Kubernetes userOf(String cluster) {
    Kubernetes user = driver().user();
    return cluster.isEmpty() ? user : user.cluster(cluster);
  }

  @Override
  public int deliver(TestReplica replica, EventGate watch, int firstNumber) {
    int waiting = watch.waiting();
    if (holdsAll && replica == driver().owner()) {
      return 0;
    }
    if (perturbation == null || perturbation.kind().place() != Place.EVENT) {
      return waiting;
    }
    int before = perturbation.at() - firstNumber;
    if (!done && before >= 0 && before < waiting) {
      now();
      late = watch.key();
      lateSinceStep = run().stepsDone();
      skippedStep = is(Kind.OVERTAKEN) ? lateSinceStep : 0;
      return before + Math.max(0, waiting - before - kept());
    }
    if (!watch.key().equals(late)) {
      return waiting;
    }
    if (overdue && is(Kind.LAG)) {
      deliverLate();
      return waiting;
    }
    if (overdue) {
      expire();
      return 0;
    }
    return Math.max(0, waiting - kept());
  }

  private void deliverLate() {
    late = null;
    driver().log().add("caches", "the late events are delivered");
  }

  /** Returns how many events are kept back. */
  private int kept() {
    return is(Kind.LAG) ? Objects.requireNonNull(perturbation).by() : Integer.MAX_VALUE;
  }

  @Override
  public void attemptBegins(String request) {
    attemptsByStep.merge(run().stepsDone(), 1, Integer::sum);
    overdue |=
        late != null && attemptsWhileLate.merge(request, 1, Integer::sum) > ATTEMPTS_WHILE_LATE;
  }

  @Override
  public boolean postpones(int attempt) {
    if (!done && is(Kind.POSTPONE) && Objects.requireNonNull(perturbation).at() == attempt) {
      now();
      return true;
    }
    return false;
  }

  @Override
  public void attemptEnded(TestReplica replica, int attempt, String namespace, Runnable again) {
    if (done || perturbation == null || perturbation.at() != attempt) {
      return;
    }
    if (is(Kind.DUPLICATE)) {
      now();
      again.run();
    } else if (is(Kind.MOVE)) {
      now();
      replica.crash();
    } else if (is(Kind.SLOT_AWAY)) {
      now();
      away = namespace;
      lateSinceStep = run().stepsDone();
      skippedStep = lateSinceStep;
      driver().releaseNamespace(namespace);
    }
  }

  @Override
  public @Nullable Set<String> ownNamespaces() {
    return is(Kind.SLOT_AWAY) ? namespaces : null;
  }

  @Override
  public String selector(String asked) {
    return switch (Objects.requireNonNull(perturbation).by()) {
      case 0 -> asked;
      case 1 -> "";
      default -> selectors.getAndIncrement() % 2 == 0 ? asked : "";
    };
  }

  @Override
  public boolean quiet() {
    if (holdsAll && driver().owner().epoch() > 1) {
      holdsAll = false;
      driver().log().add("caches", "the events since then are delivered");
      return true;
    }
    if (away != null) {
      return run().stepsDone() > lateSinceStep && expire();
    }
    if (late == null) {
      return false;
    }
    if (is(Kind.LAG)) {
      if (reconciledLate) {
        deliverLate();
      } else {
        reconciledLate = true;
        driver().log().add("caches", "everything is reconciled once more on the late cache");
        driver().reconcileAllAgain();
      }
      return true;
    }
    return run().stepsDone() > lateSinceStep && expire();
  }

  /** Ends what is held: a slot comes back, or a watch expires; false when there is none. */
  boolean expire() {
    String returning = away;
    if (returning != null) {
      away = null;
      driver().log().add("slots", "the slot of \"" + returning + "\" is back, and is loaded");
      driver().regainNamespace(returning);
      return true;
    }
    String key = late;
    late = null;
    for (EventGate gate : driver().owner().gates()) {
      if (gate.key().equals(key)) {
        int lost = gate.expire();
        driver().serverChanged();
        driver().log().add("caches", "the watch expires, " + lost + " events are never seen");
        return true;
      }
    }
    return false;
  }

  @Override
  public Map<String, Long> restartVersions() {
    return restartVersions;
  }
}
