// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill.herd;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.Map;

/**
 * The controllers of the drill: one for each {@link HerdKind}. It is no service of its jar: the
 * replicas of a drill, and only these, have a folder that names it in their class path.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class HerdDefinition implements ControllerDefinition {

  /** The ConfigMap with the quota, in the namespace {@code default}, and its key. */
  public static final String QUOTA = "quota";

  public static final String LIMIT = "volumes";

  /** The volumes that there are already. */
  public static final int USED = 5_000;

  /** Creates the definition; called by the host. */
  public HerdDefinition() {}

  @Override
  public List<ControllerDefinition> definitions() {
    return List.of(
        new Of<>(HerdKind.WEBSITE, HerdObject.Website.class),
        new Of<>(HerdKind.BACKUP, HerdObject.Backup.class),
        new Of<>(HerdKind.CERTIFICATE, HerdObject.Certificate.class));
  }

  @Override
  public String name() {
    throw new UnsupportedOperationException("its definitions are used instead");
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    throw new UnsupportedOperationException("its definitions are used instead");
  }

  /**
   * The definition of one controller.
   *
   * @param kind its objects
   * @param type their class
   */
  private record Of<T extends HerdObject>(HerdKind kind, Class<T> type)
      implements ControllerDefinition {

    @Override
    public String name() {
      return kind.plural();
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      KindSource<T> objects = k8s.kind(type).toSource();
      Resource<V1ConfigMap> configMaps = k8s.resource(V1ConfigMap.class);
      // Not from a cache: a change of the quota must not start attempts by itself.
      Request quota = Request.of("default", QUOTA);
      return Controller.named(name())
          .watches(objects)
          .reconciles(
              new HerdReconciler(
                  objects::get,
                  () -> Integer.parseInt(data(configMaps.get(quota).orElseThrow()).get(LIMIT))));
    }

    private static Map<String, String> data(V1ConfigMap map) {
      Map<String, String> data = map.getData();
      return data == null ? Map.of() : data;
    }
  }
}
