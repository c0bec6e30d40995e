// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.HostException;
import dev.coxswain.host.Version;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the way to the API server that the configuration names, or the one of the pod. */
final class KubernetesAccess {
  private KubernetesAccess() {}

  static Kubernetes open(CoxswainConfiguration.Kubernetes configuration) throws HostException {
    KubernetesOptions options =
        KubernetesOptions.DEFAULT.withUserAgent("coxswain/" + Version.text());
    String file = configuration.kubeconfig();
    if (file == null && System.getenv("KUBERNETES_SERVICE_HOST") == null) {
      throw new HostException(
          "no Kubernetes API server is configured and this is not a pod: give --kubeconfig FILE,"
              + " or set kubernetes.kubeconfig in the configuration, or try \"coxswain dev\"");
    }
    try {
      if (file == null) {
        return Kubernetes.inCluster(options);
      }
      if (!Files.isRegularFile(Path.of(file))) {
        throw new HostException("kubeconfig " + file + ": there is no such file");
      }
      return Kubernetes.fromKubeconfig(Path.of(file), options);
    } catch (IOException | RuntimeException e) {
      // The client's loader throws whatever its YAML library and its own casts throw.
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new HostException(
          (file == null ? "the service account of this pod" : "kubeconfig " + file)
              + " cannot be used: "
              + why.lines().findFirst().orElse(""),
          e);
    }
  }
}
