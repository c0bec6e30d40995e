// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.podsimulator;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.KindSource;
import io.kubernetes.client.openapi.models.V1Pod;

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
}
