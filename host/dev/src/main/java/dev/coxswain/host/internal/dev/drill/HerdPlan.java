// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.dev.drill.herd.HerdDefinition;
import dev.coxswain.host.internal.dev.drill.herd.HerdFailure;
import dev.coxswain.host.internal.dev.drill.herd.HerdKind;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The objects of a drill, and what makes the replicas run their controllers.
 *
 * <p>Thread rule: immutable; calls block.
 *
 * @param size how many objects fail
 */
record HerdPlan(int size) {

  /** One object in ten fails of nothing, besides those that fail. */
  private static final int HEALTHY_PERCENT = 10;

  private static final int PERCENT = 100;
  private static final int NAMESPACES = 20;
  private static final int BATCH = 500;

  /**
   * Returns the entries of the class path that replicas need; the last one is this folder, which then
   * has all types and objects, too.
   */
  List<Path> write(Path folder) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(ControllerDefinition.class.getName()),
        HerdDefinition.class.getName() + "\n");
    Path manifests = Files.createDirectories(folder.resolve("coxswain/dev/drill"));
    StringBuilder first = new StringBuilder(quota());
    for (int i = 0; i < NAMESPACES; i++) {
      first.append(
          "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-%d}\n".formatted(i));
    }
    Files.writeString(manifests.resolve("a-quota.yaml"), first);
    for (HerdKind kind : HerdKind.values()) {
      Files.writeString(manifests.resolve("crd-" + kind.plural() + ".yaml"), kind.definition());
      List<String> specs = specs(kind);
      for (int from = 0; from < specs.size(); from += BATCH) {
        StringBuilder yaml = new StringBuilder();
        for (int i = from; i < Math.min(specs.size(), from + BATCH); i++) {
          yaml.append(object(kind, i, specs.get(i)));
        }
        Files.writeString(manifests.resolve("%s-%05d.yaml".formatted(kind.plural(), from)), yaml);
      }
    }
    try {
      return List.of(
          Path.of(HerdDefinition.class.getProtectionDomain().getCodeSource().getLocation().toURI()),
          folder);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the address of a class path entry is always one", e);
    }
  }

  /** Returns the specs of the objects of one kind; those that are fine come last. */
  private List<String> specs(HerdKind kind) {
    List<String> specs = new ArrayList<>();
    for (HerdFailure failure : HerdFailure.values()) {
      if (failure.kind() == kind) {
        specs.addAll(Collections.nCopies(count(failure), "failure: " + failure));
      }
    }
    specs.addAll(
        Collections.nCopies(size * HEALTHY_PERCENT / PERCENT / HerdKind.values().length, ""));
    return specs;
  }

  private int count(HerdFailure failure) {
    return size * failure.percent() / PERCENT;
  }

  /** Returns how many objects fail. */
  int failing() {
    int sum = 0;
    for (HerdFailure failure : HerdFailure.values()) {
      sum += count(failure);
    }
    return sum;
  }

  private static String quota() {
    return """
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: %s, namespace: default}
    data: {%s: "%d"}
    """
        .formatted(HerdDefinition.QUOTA, HerdDefinition.LIMIT, HerdDefinition.USED);
  }

  private static String object(HerdKind kind, int number, String spec) {
    return """
    ---
    apiVersion: %s/%s
    kind: %s
    metadata: {name: %s-%d, namespace: team-%d}
    spec: {%s}
    """
        .formatted(
            HerdKind.GROUP,
            HerdKind.VERSION,
            kind.label(),
            kind.label().toLowerCase(Locale.ROOT),
            number,
            number % NAMESPACES,
            spec);
  }
}
