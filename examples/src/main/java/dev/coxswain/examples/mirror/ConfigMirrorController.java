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
 * copies equal: a copy that somebody edits or deletes is repaired.
 *
 * <p>Worth a look:
 *
 * <ul>
 *   <li><b>Two watches, one kind of request.</b> The sources are watched for themselves. The copies
 *       are watched so that damage is noticed; their events lead to the source that they name in an
 *       annotation. An owner reference cannot say that, since it does not cross namespaces: the API
 *       server would take the copy for an orphan and delete it.
 *   <li><b>A finalizer.</b> For the same reason nobody deletes the copies with their source. The
 *       finalizer keeps a deleted source until this controller has deleted them.
 *   <li><b>Leaving.</b> A source that loses its label vanishes from the watch as if deleted; what
 *       became of it is asked of the API server, because the cache no longer knows.
 *   <li><b>Reading own writes.</b> A copy that has just been written counts at once, though its
 *       event is still on the way: otherwise a source that goes back to what it was would find the
 *       old copy in the cache and leave it one version behind until that event, and a source that
 *       is deleted would leave behind the copy that was made a moment before.
 *   <li><b>No theft.</b> A ConfigMap of that name that is not a copy of this source is left alone,
 *       and the source fails until it is out of the way.
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
