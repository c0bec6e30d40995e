// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.demo;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import java.util.Optional;

/**
 * Reconciles {@link Demo}: writes a status, or fails while {@code spec.fail} is true.
 *
 * <p>What to try:
 *
 * <ul>
 *   <li>{@code kubectl get demos -A}: the failing ones never get a phase.
 *   <li>{@code GET /api/v1/controllers/demo/items?failing=true}: how often they have failed and
 *       when they are tried again.
 *   <li>{@code kubectl patch demo always-fails-1 --type merge -p '{"spec":{"fail":false}}'}: the
 *       event makes it due at once, whatever its backoff was.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class DemoController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public DemoController() {}

  @Override
  public String name() {
    return "demo";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    Resource<Demo> write = k8s.resource(Demo.class);
    // A write of the status is an event as well; without the filter each object is reconciled
    // twice.
    KindSource<Demo> demos = k8s.kind(Demo.class).filter(Predicates.generationChanged()).toSource();
    return Controller.named(name())
        .watches(demos)
        .reconciles((request, context) -> reconcile(request, demos.get(request), write));
  }

  private static Result reconcile(Request request, Optional<Demo> found, Resource<Demo> write)
      throws DemoFailure {
    if (found.isEmpty()) {
      // Deleted; there is nothing to clean up.
      return Result.done();
    }
    Demo.Spec spec = found.get().spec();
    if (spec.fail()) {
      String message = spec.message();
      throw new DemoFailure("spec.fail is true" + (message == null ? "" : ": " + message));
    }
    Long generation = found.get().getMetadata().getGeneration();
    // Sends nothing when the status is unchanged.
    write.modifyStatus(
        request, demo -> demo.setStatus(new Demo.Status("Ready", spec.message(), generation)));
    return Result.done();
  }

  /** The failure of a Demo with {@code spec.fail}. */
  static final class DemoFailure extends Exception {
    private static final long serialVersionUID = 1;

    DemoFailure(String message) {
      super(message);
    }
  }
}
