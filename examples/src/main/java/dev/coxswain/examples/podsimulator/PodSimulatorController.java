// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.podsimulator;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateRunning;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Moves the Pods with the label {@code simulator.coxswain.dev/enabled=true} through their phases, as
 * annotations of the Pod say.
 *
 * <ul>
 *   <li>{@code simulator.coxswain.dev/run}: how long its container runs, such as {@code 500ms} or
 *       {@code 5s}; without it, for ever.
 *   <li>{@code simulator.coxswain.dev/exit-codes}: the exit code of each run, separated by commas;
 *       the last one holds for all further runs; 0 without it.
 * </ul>
 *
 * <p>A Pod with a node belongs to a real kubelet and is left alone.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class PodSimulatorController implements ControllerDefinition {

  /** The label of the Pods that are simulated. */
  static final String LABEL = "simulator.coxswain.dev/enabled=true";

  /** Creates the definition; called by the host. */
  public PodSimulatorController() {}

  @Override
  public String name() {
    return "pod-simulator";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<V1Pod> pods =
        k8s.kind(V1Pod.class).labels(LABEL).readYourWrites(k8s.ownWrites()).toSource();
    return Controller.named(name())
        .watches(pods)
        .reconciles(new PodReconciler(pods, k8s.resource(V1Pod.class), environment.clock()));
  }

  /** Pending, then Running for as long as the Pod defines, then what its exit code and policy lead to. */
  private static final class PodReconciler implements Reconciler<Request> {

    private static final String RUN = "simulator.coxswain.dev/run";
    private static final String EXIT_CODES = "simulator.coxswain.dev/exit-codes";

    /** How often Pods of this name were replaced before, which is where the exit codes go on. */
    private static final String REPLACED = "training.coxswain.dev/restarts";

    private final Lister<V1Pod> pods;
    private final Resource<V1Pod> write;
    private final Clock clock;

    PodReconciler(Lister<V1Pod> pods, Resource<V1Pod> write, Clock clock) {
      this.pods = pods;
      this.write = write;
      this.clock = clock;
    }

    @Override
    public Result reconcile(Request request, ReconcileContext context) {
      Optional<V1Pod> found = pods.get(request).filter(PodReconciler::isSimulated);
      if (found.isEmpty()) {
        return Result.done();
      }
      V1Pod pod = found.get();
      Optional<Duration> run = annotation(pod, RUN).map(PodReconciler::duration);
      return switch (phase(pod)) {
        case "Pending" -> {
          start(pod, 0);
          yield run.map(Result::requeueAfter).orElse(Result.done());
        }
        case "Running" -> run.map(time -> running(pod, time)).orElse(Result.done());
        default -> Result.done();
      };
    }

    private Result running(V1Pod pod, Duration run) {
      Optional<V1ContainerStatus> container = container(pod);
      OffsetDateTime started =
          container
              .map(V1ContainerStatus::getState)
              .map(V1ContainerState::getRunning)
              .map(V1ContainerStateRunning::getStartedAt)
              .orElse(now());
      Duration left = Duration.between(now(), started.plus(run));
      if (left.isPositive()) {
        return Result.requeueAfter(left);
      }
      int restarts = container.map(V1ContainerStatus::getRestartCount).orElse(0);
      int code = exitCode(pod, restarts);
      String policy = Objects.requireNonNull(pod.getSpec()).getRestartPolicy();
      if ("Always".equals(policy) || ("OnFailure".equals(policy) && code != 0)) {
        start(pod, restarts + 1);
        return Result.requeueAfter(run);
      }
      V1ContainerState ended =
          new V1ContainerState()
              .terminated(
                  new V1ContainerStateTerminated()
                      .exitCode(code)
                      .startedAt(started)
                      .finishedAt(now()));
      save(pod, code == 0 ? "Succeeded" : "Failed", ended, restarts);
      return Result.done();
    }

    private void start(V1Pod pod, int restarts) {
      V1ContainerState running =
          new V1ContainerState().running(new V1ContainerStateRunning().startedAt(now()));
      save(pod, "Running", running, restarts);
    }

    private void save(V1Pod pod, String phase, V1ContainerState state, int restarts) {
      try {
        write(pod, phase, state, restarts);
      } catch (ApiStatusException e) {
        if (!e.isNotFound()) {
          throw e;
        }
        // Deleted meanwhile, as Pods of finished jobs are: nothing is left to simulate.
      }
    }

    private void write(V1Pod pod, String phase, V1ContainerState state, int restarts) {
      String uid = Objects.requireNonNull(pod.getMetadata()).getUid();
      String container = Objects.requireNonNull(pod.getSpec()).getContainers().getFirst().getName();
      write.modifyStatus(
          write.key(pod),
          stored -> {
            // A Pod of the same name that was created since begins from Pending.
            if (Objects.equals(Objects.requireNonNull(stored.getMetadata()).getUid(), uid)) {
              V1PodStatus status =
                  stored.getStatus() == null ? new V1PodStatus() : stored.getStatus();
              stored.setStatus(
                  status
                      .phase(phase)
                      .containerStatuses(
                          List.of(
                              new V1ContainerStatus()
                                  .name(container)
                                  .image("simulated")
                                  .imageID("")
                                  .ready(phase.equals("Running"))
                                  .restartCount(restarts)
                                  .state(state))));
            }
          });
    }

    private static int exitCode(V1Pod pod, int restarts) {
      List<String> codes = List.of(annotation(pod, EXIT_CODES).orElse("0").split("\\s*,\\s*", -1));
      int runs = restarts + annotation(pod, REPLACED).map(Integer::parseInt).orElse(0);
      return Integer.parseInt(codes.get(Math.min(runs, codes.size() - 1)));
    }

    private static Duration duration(String text) {
      return Duration.parse("PT" + (text.endsWith("ms") ? millis(text) : text));
    }

    private static String millis(String text) {
      return Long.parseLong(text.substring(0, text.length() - 2)) / 1000.0 + "s";
    }

    private static boolean isSimulated(V1Pod pod) {
      return Objects.requireNonNull(pod.getMetadata()).getDeletionTimestamp() == null
          && pod.getSpec() != null
          && pod.getSpec().getNodeName() == null;
    }

    private static Optional<String> annotation(V1Pod pod, String name) {
      var annotations = Objects.requireNonNull(pod.getMetadata()).getAnnotations();
      return annotations == null ? Optional.empty() : Optional.ofNullable(annotations.get(name));
    }

    private static String phase(V1Pod pod) {
      @Nullable V1PodStatus status = pod.getStatus();
      return status == null || status.getPhase() == null ? "Pending" : status.getPhase();
    }

    private static Optional<V1ContainerStatus> container(V1Pod pod) {
      return Optional.ofNullable(pod.getStatus())
          .map(V1PodStatus::getContainerStatuses)
          .flatMap(all -> all.stream().findFirst());
    }

    private OffsetDateTime now() {
      return clock.instant().atOffset(ZoneOffset.UTC);
    }
  }
}
