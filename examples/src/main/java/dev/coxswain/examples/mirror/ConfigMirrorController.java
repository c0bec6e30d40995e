// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.mirror;

import static dev.coxswain.examples.mirror.Mirrors.meta;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Makes the copies of one source what they should be. */
  private static final class MirrorReconciler implements Reconciler<Request> {

    private final Lister<V1ConfigMap> sources;
    private final Lister<V1ConfigMap> copies;
    private final Resource<V1ConfigMap> maps;

    MirrorReconciler(
        Lister<V1ConfigMap> sources, Lister<V1ConfigMap> copies, Resource<V1ConfigMap> maps) {
      this.sources = sources;
      this.copies = copies;
      this.maps = maps;
    }

    @Override
    public Result reconcile(Request request, ReconcileContext context) {
      // Not in the informer: deleted, or its label was removed. Only the API server can
      // distinguish.
      Optional<V1ConfigMap> found = sources.get(request).or(() -> maps.get(request));
      if (found.isEmpty()) {
        deleteCopies(request, Set.of());
        return Result.done();
      }
      V1ConfigMap source = found.get();
      if (!Mirrors.isEnabled(source) || Finalizers.isDeleting(source)) {
        deleteCopies(request, Set.of());
        if (Finalizers.has(source, Mirrors.FINALIZER)) {
          Finalizers.remove(maps, source, Mirrors.FINALIZER);
        }
        return Result.done();
      }
      if (!Finalizers.has(source, Mirrors.FINALIZER)) {
        // Before the first copy, or a deletion in between would leave it behind.
        Finalizers.add(maps, request, Mirrors.FINALIZER);
      }
      Set<String> targets = Mirrors.targets(source);
      deleteCopies(request, targets);
      mirrorAll(request, source, targets);
      return Result.done();
    }

    /** A target that cannot be written, such as a namespace that is not there, holds up no other. */
    private void mirrorAll(Request request, V1ConfigMap source, Set<String> targets) {
      @Nullable RuntimeException failure = null;
      for (String target : targets) {
        try {
          mirror(request, source, Request.of(target, request.name()));
        } catch (RuntimeException e) {
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
      if (failure != null) {
        throw failure;
      }
    }

    private void mirror(Request request, V1ConfigMap source, Request copy) {
      boolean upToDate =
          copies
              .get(copy)
              .filter(found -> Mirrors.sourceOf(found).equals(Optional.of(request)))
              .filter(found -> Mirrors.sameContent(source, found))
              .isPresent();
      if (upToDate) {
        return;
      }
      maps.createOrPatch(
          copy,
          () ->
              new V1ConfigMap()
                  .metadata(
                      new V1ObjectMeta().annotations(Map.of(Mirrors.SOURCE, request.toString()))),
          object -> {
            if (!Mirrors.sourceOf(object).equals(Optional.of(request))) {
              throw new IllegalStateException(
                  "\""
                      + copy
                      + "\" exists and is not a copy of \""
                      + request
                      + "\": rename one of them, or take the namespace off the targets");
            }
            Map<String, String> labels = new HashMap<>(Mirrors.orEmpty(meta(object).getLabels()));
            labels.put(Mirrors.COPY, "true");
            meta(object).setLabels(labels);
            object.setData(new HashMap<>(Mirrors.orEmpty(source.getData())));
            object.setBinaryData(new HashMap<>(Mirrors.orEmpty(source.getBinaryData())));
          });
    }

    /** Deletes the copies of a source, except in some namespaces. */
    private void deleteCopies(Request request, Set<String> except) {
      List<V1ConfigMap> stale =
          copies.list().stream()
              .filter(found -> Mirrors.sourceOf(found).equals(Optional.of(request)))
              .filter(found -> !except.contains(meta(found).getNamespace()))
              .toList();
      for (V1ConfigMap copy : stale) {
        // What was made under this name since is not the one that was looked at.
        maps.delete(
            maps.key(copy),
            DeleteOptions.BACKGROUND.withUid(Objects.requireNonNull(meta(copy).getUid())));
      }
    }
  }
}
