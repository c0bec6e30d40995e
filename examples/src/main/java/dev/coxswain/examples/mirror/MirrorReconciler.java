// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.mirror;

import static dev.coxswain.examples.mirror.Mirrors.meta;

import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
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

/** Makes the copies of one source what they should be. */
final class MirrorReconciler implements Reconciler<Request> {

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
    // Not in the informer: deleted, or its label was removed. Only the API server can distinguish.
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
