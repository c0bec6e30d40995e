// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The controllers of Coxswain. Not in the service file of this module: the driver puts it in one of its own.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class CoxswainControllers implements ControllerDefinition {
  public CoxswainControllers() {}

  @Override
  public String name() {
    return "whole";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    throw new IllegalStateException("each of the definitions creates its own");
  }

  @Override
  public List<ControllerDefinition> definitions() {
    SubjectSettings settings = SubjectSettings.read();
    Probe probe = Probe.connect(settings);
    return IntStream.range(0, settings.controllers())
        .<ControllerDefinition>mapToObj(i -> new One(i, settings, probe))
        .toList();
  }

  private record One(int index, SubjectSettings settings, Probe probe)
      implements ControllerDefinition {
    @Override
    public String name() {
      return settings.name(index);
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      probe.created();
      var kind =
          environment
              .get(Kubernetes.class)
              .kind(V1ConfigMap.class)
              .inNamespace(settings.namespace());
      String selector = settings.selector(index);
      KindSource<V1ConfigMap> maps = (selector.isEmpty() ? kind : kind.labels(selector)).toSource();
      return Controller.named(name())
          .watches(maps)
          .options(options -> options.withConcurrency(SubjectSettings.WORKERS))
          .reconciles((request, _) -> reconcile(maps, request));
    }

    private Result reconcile(KindSource<V1ConfigMap> maps, Request request) throws IOException {
      V1ConfigMap map = maps.get(request).orElse(null);
      if (map != null) {
        probe.attempt(request.name(), Objects.requireNonNullElse(map.getData(), Map.of()));
      }
      return Result.done();
    }
  }
}
