// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ServerAccess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Finds the address and the credentials of a cluster.
 *
 * <p>Thread rule: stateless; reads files.
 */
final class ClusterAccess {

  private static final String OF_THE_USER = "kubeconfig";

  private ClusterAccess() {}

  /**
   * Reads a kubeconfig.
   *
   * @param property the property that has the value, for messages
   * @param value {@code kubeconfig} for the files that kubectl uses, or a file; with {@code #CONTEXT} at
   *     the end another context than the current one
   * @throws IllegalStateException when it cannot be used; the message has the file and the cause
   */
  static ServerAccess of(String property, String value) {
    int mark = value.lastIndexOf('#');
    String context = mark < 0 ? "" : value.substring(mark + 1);
    String file = mark < 0 ? value : value.substring(0, mark);
    List<Path> files = file.equals(OF_THE_USER) ? ofUser() : List.of(Path.of(file));
    try {
      return context.isEmpty() ? Kubernetes.accessByKubeconfig(files) : in(context, files);
    } catch (IOException e) {
      throw new IllegalStateException(
          "-D%s=%s cannot be used: %s".formatted(property, value, e.getMessage()), e);
    }
  }

  private static List<Path> ofUser() {
    String variable = Objects.requireNonNullElse(System.getenv("KUBECONFIG"), "");
    return variable.isBlank()
        ? List.of(Path.of(System.getProperty("user.home"), ".kube", "config"))
        : Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(variable)
            .filter(Predicate.not(String::isBlank))
            .map(Path::of)
            .toList();
  }

  /** Of several files the first with an entry wins, also with the name of the current context. */
  private static ServerAccess in(String context, List<Path> files) throws IOException {
    Path first = Files.createTempFile("coxswain-context", ".yaml");
    try {
      Files.writeString(first, "current-context: '" + context.replace("'", "''") + "'\n");
      List<Path> all = new ArrayList<>(List.of(first));
      all.addAll(files);
      return Kubernetes.accessByKubeconfig(all);
    } finally {
      Files.delete(first);
    }
  }
}
