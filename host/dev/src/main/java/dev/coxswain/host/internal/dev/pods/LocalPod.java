// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One pod: its object, and a process that is started again when it ends.
 *
 * <p>Thread rule: {@link #run} on a thread of its own, which is blocked; the others on any.
 */
final class LocalPod {

  /** How often a pod is looked at, and the first wait before it is started again. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(5);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
  private static final int OK = 200;

  /** After this long the user reads that a pod is not ready, and where the cause is. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** An exit code above this one has the number of a signal in it. */
  private static final int SIGNALED = 128;

  private static final int LINE_LENGTH = 300;

  /** How much of the end of a log is read: logs have any size. */
  private static final int TAIL_BYTES = 8192;

  private final PodPlan plan;
  private final Place place;
  private final HttpClient http;
  private final Consumer<String> progress;
  private final CountDownLatch firstReady = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Instant created = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private volatile @Nullable Process process;
  private volatile boolean begun;
  private int restarts;

  /**
   * What a pod has for itself.
   *
   * @param name its name
   * @param address its address
   * @param members the port of its member of the shared limiter, at the address of all
   */
  record Place(String name, String address, int members) {}

  /**
   * Creates a pod.
   *
   * @param http sends the probes
   * @param progress receives a line when something changes
   */
  LocalPod(PodPlan plan, Place place, HttpClient http, Consumer<String> progress) {
    this.plan = plan;
    this.place = place;
    this.http = http;
    this.progress = progress;
  }

  String name() {
    return place.name();
  }

  String address() {
    return place.address();
  }

  /** Returns the file of the log. */
  Path log() {
    return plan.log(name());
  }

  /** Returns the process id; 0 when there is none at this time. */
  long pid() {
    Process running = process;
    return running == null ? 0 : running.pid();
  }

  /** Waits until it has been ready for the first time; returns false when it was closed before. */
  boolean awaitReady() throws InterruptedException {
    firstReady.await();
    return closed.getCount() > 0;
  }

  /** Runs it until it is closed. */
  void run() {
    begun = true;
    try {
      repeat();
    } finally {
      ended.countDown();
    }
  }

  private void repeat() {
    Duration wait = LOOK;
    try {
      while (closed.getCount() > 0) {
        long started = System.nanoTime();
        String why;
        try {
          why = once();
        } catch (IOException | HostException | RuntimeException e) {
          why = "cannot be run: " + e.getMessage();
        }
        if (closed.getCount() == 0) {
          return;
        }
        if (System.nanoTime() - started > LONGEST_WAIT.toNanos()) {
          wait = LOOK;
        }
        progress.accept(
            "pod %s %s; it is started again in %d s".formatted(name(), why, wait.toSeconds()));
        if (closed.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
        wait =
            wait.multipliedBy(2).compareTo(LONGEST_WAIT) < 0 ? wait.multipliedBy(2) : LONGEST_WAIT;
        restarts++;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the process once, and returns why it ended. */
  private String once() throws IOException, HostException, InterruptedException {
    long started = System.nanoTime();
    if (!plan.cluster().hasPod(name()) || restarts == 0) {
      plan.cluster().createPod(plan.object(name()));
    }
    PodFiles files = new PodFiles(plan, place);
    Instant renewal = plan.cluster().writeToken(plan.account(), files.token());
    ProcessBuilder builder = new ProcessBuilder(files.command());
    builder.environment().clear();
    builder.environment().putAll(files.environment());
    builder
        .directory(plan.folder().resolve(name()).toFile())
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    Process running;
    synchronized (this) {
      if (closed.getCount() == 0) {
        return "is closed";
      }
      running = builder.start();
      process = running;
    }
    try (ParentWatch _ = ParentWatch.start(running.pid())) {
      return watch(running, files, renewal, started);
    } finally {
      running.destroyForcibly(); // only alive when something has failed here
    }
  }

  private String watch(Process running, PodFiles files, Instant firstRenewal, long started)
      throws IOException, HostException, InterruptedException {
    PodPlan.Probe probe = plan.readiness();
    Instant renewal = firstRenewal;
    boolean ready = false;
    boolean deleted = false;
    boolean hinted = false;
    long killAt = 0; // when it was deleted
    report(false);
    while (!running.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
      boolean now = ready(probe);
      try {
        if (!deleted && !plan.cluster().hasPod(name())) {
          deleted = true;
          killAt = System.nanoTime() + plan.grace().toNanos();
          running.toHandle().destroy(); // as a kubelet does
        } else if (now != ready && running.isAlive() && closed.getCount() > 0) {
          ready = now;
          report(now);
          progress.accept(
              now
                  ? "pod %s is ready at %s, pid %d, after %.1f s"
                      .formatted(
                          name(),
                          place.address(),
                          running.pid(),
                          (System.nanoTime() - started) / 1e9)
                  : "pod %s is not ready any more".formatted(name()));
        }
        if (Instant.now().isAfter(renewal)) {
          renewal = plan.cluster().writeToken(plan.account(), files.token());
        }
      } catch (ApiStatusException e) {
        // The API server is away: the pod goes on, and this is done at the next look.
      }
      if (now) {
        firstReady.countDown();
      } else if (!hinted
          && firstReady.getCount() > 0
          && System.nanoTime() - started > PATIENCE.toNanos()) {
        hinted = true;
        progress.accept(
            "pod %s runs and is not ready after %d s: http://%s:%d%s?verbose and its log have the cause"
                .formatted(
                    name(), PATIENCE.toSeconds(), place.address(), probe.port(), probe.path()));
      }
      if (deleted && System.nanoTime() - killAt > 0) {
        running.destroyForcibly(); // after its grace period, as a kubelet does
      }
    }
    report(false);
    int code = running.exitValue();
    if (deleted) {
      return "was deleted and has ended with exit code " + code;
    }
    return code > SIGNALED
        ? "was ended by signal " + (code - SIGNALED)
        : "has ended with exit code %d%s".formatted(code, lastLine(log()));
  }

  private boolean ready(PodPlan.Probe probe) throws InterruptedException {
    try {
      return http.send(
                  HttpRequest.newBuilder(
                          URI.create(
                              "http://%s:%d%s"
                                  .formatted(place.address(), probe.port(), probe.path())))
                      .timeout(PROBE_LIMIT)
                      .build(),
                  HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == OK;
    } catch (IOException e) {
      return false; // it does not listen yet
    }
  }

  /** Returns the last line of a log, as a part of a sentence; nothing when there is none that can be read. */
  static String lastLine(Path log) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] tail = new byte[(int) Math.min(TAIL_BYTES, file.length())];
      file.seek(file.length() - tail.length);
      file.readFully(tail);
      List<String> lines = new String(tail, StandardCharsets.UTF_8).lines().toList();
      return lines.isEmpty()
          ? ""
          : ", its last line is "
              + lines.getLast().substring(0, Math.min(LINE_LENGTH, lines.getLast().length()));
    } catch (IOException e) {
      return ""; // how the pod has ended counts
    }
  }

  /** Writes into the status of the pod whether it is ready. */
  private void report(boolean ready) {
    JsonArray conditions = new JsonArray();
    for (String type : List.of("PodScheduled", "Initialized", "ContainersReady", "Ready")) {
      boolean holds = ready || type.equals("PodScheduled") || type.equals("Initialized");
      JsonObject condition = new JsonObject();
      condition.addProperty("type", type);
      condition.addProperty("status", holds ? "True" : "False");
      conditions.add(condition);
    }
    JsonObject running = new JsonObject();
    running.addProperty("startedAt", created.toString());
    JsonObject state = new JsonObject();
    state.add("running", running);
    JsonObject container = new JsonObject();
    container.addProperty("name", Json.text(plan.container(), "name"));
    container.addProperty("image", Json.text(plan.container(), "image"));
    container.addProperty("imageID", "");
    container.addProperty("ready", ready);
    container.addProperty("started", true);
    container.addProperty("restartCount", restarts);
    container.add("state", state);
    JsonArray containers = new JsonArray();
    containers.add(container);
    JsonObject address = new JsonObject();
    address.addProperty("ip", place.address());
    JsonArray addresses = new JsonArray();
    addresses.add(address);
    JsonObject status = new JsonObject();
    status.addProperty("phase", "Running");
    status.addProperty("startTime", created.toString());
    status.addProperty("podIP", place.address());
    status.add("podIPs", addresses);
    status.add("conditions", conditions);
    status.add("containerStatuses", containers);
    try {
      plan.cluster().status(name(), status);
    } catch (ApiStatusException e) {
      // The pod was deleted, or the API server is away.
    }
  }

  /** Ends the process by the signal of a cluster; returns at once. */
  void stop() {
    Process running;
    synchronized (this) {
      closed.countDown();
      running = process;
    }
    firstReady.countDown();
    if (running != null) {
      running.toHandle().destroy();
    }
  }

  /** Waits for the end of the process, kills it after the limit, and deletes the object, if it was begun. */
  void awaitEnd(long deadline) {
    if (!begun) {
      return; // what has its name is of others
    }
    Process running = process;
    try {
      if (running != null
          && !running.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        progress.accept("pod %s did not end in time and is killed".formatted(name()));
        running.destroyForcibly();
        running.waitFor(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      }
      // Otherwise it might create the object afterwards.
      ended.await(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      plan.cluster().requireOwnPod(name());
      plan.cluster().deletePod(name());
    } catch (ApiStatusException | HostException e) {
      progress.accept(
          "the object of pod %s cannot be deleted: %s".formatted(name(), e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
