// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.mirror;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import io.kubernetes.client.openapi.models.V1ConfigMap;

/**
 * Copies every ConfigMap labelled {@code mirror.coxswain.dev/enabled=true} into the namespaces
 * named in its annotation {@code mirror.coxswain.dev/targets} (separated by commas), and keeps the
 * copies equal: an edited or deleted copy is restored.
 *
 * <p>Patterns:
 *
 * <ul>
 *   <li><b>Two watches, one kind of request.</b> The sources are watched for themselves. The copies
 *       are watched so that damage is noticed; their events map to the source named in an
 *       annotation. An owner reference is not possible, because it does not cross namespaces: the
 *       API server would take the copy for an orphan and delete it.
 *   <li><b>A finalizer.</b> For the same reason the garbage collector does not delete the copies
 *       with their source. The finalizer keeps a deleted source until this controller has deleted
 *       them.
 *   <li><b>Leaving.</b> A source that loses its label vanishes from the watch as if deleted; its
 *       state is read from the API server, because the informer no longer has it.
 *   <li><b>Read your writes.</b> A written copy is visible at once, before its event arrives.
 *       Otherwise a source that is reverted would match the old copy in the informer and stay one
 *       version behind until that event, and a deleted source would leave the latest copy behind.
 *   <li><b>No overwriting.</b> A ConfigMap of that name that is not a copy of this source is kept,
 *       and the source fails until it is removed.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class ConfigMirrorController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public ConfigMirrorController() {}

  @Override
  public String name() {
    return "config-mirror";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<V1ConfigMap> sources =
        k8s.kind(V1ConfigMap.class)
            .labels(Mirrors.ENABLED + "=true")
            .readYourWrites(k8s.ownWrites())
            .toSource();
    KindSource<V1ConfigMap> copies =
        k8s.kind(V1ConfigMap.class)
            .labels(Mirrors.COPY + "=true")
            .readYourWrites(k8s.ownWrites())
            .handledBy(Handlers.map(copy -> Mirrors.sourceOf(copy).stream().toList()))
            .toSource();
    return Controller.named(name())
        .watches(sources)
        .watches(copies)
        .reconciles(new MirrorReconciler(sources, copies, k8s.resource(V1ConfigMap.class)));
  }
}
