// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.mirror;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The labels and annotations that connect sources and copies. */
final class Mirrors {

  static final String ENABLED = "mirror.coxswain.dev/enabled";
  static final String TARGETS = "mirror.coxswain.dev/targets";
  static final String COPY = "mirror.coxswain.dev/copy";
  static final String SOURCE = "mirror.coxswain.dev/source";
  static final String FINALIZER = "mirror.coxswain.dev/copies";

  private Mirrors() {}

  static boolean isEnabled(V1ConfigMap map) {
    return "true".equals(orEmpty(meta(map).getLabels()).get(ENABLED));
  }

  /** Returns the namespaces that a source names, without its own. */
  static Set<String> targets(V1ConfigMap source) {
    Set<String> targets = new LinkedHashSet<>();
    String named = orEmpty(meta(source).getAnnotations()).getOrDefault(TARGETS, "");
    for (String target : named.split(",", -1)) {
      if (!target.isBlank() && !target.strip().equals(meta(source).getNamespace())) {
        targets.add(target.strip());
      }
    }
    return targets;
  }

  /** Returns what a copy was made from; empty when it is no copy. */
  static Optional<Request> sourceOf(V1ConfigMap copy) {
    String source = orEmpty(meta(copy).getAnnotations()).getOrDefault(SOURCE, "");
    int slash = source.indexOf('/');
    return slash < 1 || slash == source.length() - 1
        ? Optional.empty()
        : Optional.of(Request.of(source.substring(0, slash), source.substring(slash + 1)));
  }

  static boolean sameContent(V1ConfigMap source, V1ConfigMap copy) {
    return orEmpty(source.getData()).equals(orEmpty(copy.getData()))
        && sameBytes(orEmpty(source.getBinaryData()), orEmpty(copy.getBinaryData()))
        && "true".equals(orEmpty(meta(copy).getLabels()).get(COPY));
  }

  private static boolean sameBytes(Map<String, byte[]> one, Map<String, byte[]> other) {
    return one.keySet().equals(other.keySet())
        && one.entrySet().stream()
            .allMatch(e -> java.util.Arrays.equals(e.getValue(), other.get(e.getKey())));
  }

  static V1ObjectMeta meta(V1ConfigMap map) {
    return Objects.requireNonNull(map.getMetadata(), "every stored object has metadata");
  }

  static <V> Map<String, V> orEmpty(@org.jspecify.annotations.Nullable Map<String, V> map) {
    return map == null ? Map.of() : map;
  }
}
