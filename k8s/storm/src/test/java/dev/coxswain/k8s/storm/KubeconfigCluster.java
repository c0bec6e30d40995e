// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An existing cluster, reached as a host reaches it: by kubeconfig and with the defaults of
 * production. Nothing breaks it.
 */
final class KubeconfigCluster implements StormCluster {

  private final Path file;
  private final String address;

  private KubeconfigCluster(Path file, String address) {
    this.file = file;
    this.address = address;
  }

  /**
   * Uses the current context of a kubeconfig.
   *
   * @param file the kubeconfig
   * @param confirmed the host of the cluster's address; needed unless that is loopback
   * @throws IllegalArgumentException when it is not confirmed that this cluster is meant
   */
  static KubeconfigCluster of(Path file, String confirmed) {
    String address;
    try (Kubernetes k8s = connect(file, KubernetesOptions.DEFAULT)) {
      address = k8s.address();
    }
    String host = URI.create(address).getHost();
    if (!isLoopback(host) && !host.equals(confirmed)) {
      throw new IllegalArgumentException(
          "%s points at %s, and thousands of objects would be written there: confirm with"
                  .formatted(file, address)
              + " -Dcoxswain.it.confirm=%s (found: \"%s\")".formatted(host, confirmed));
    }
    return new KubeconfigCluster(file, address);
  }

  /** Uses no name service: the address of a name can change between the check and the run. */
  private static boolean isLoopback(String host) {
    try {
      return host.equals("localhost") || InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false; // a name
    }
  }

  private static Kubernetes connect(Path file, KubernetesOptions options) {
    try {
      return Kubernetes.fromKubeconfig(file, options);
    } catch (IOException e) {
      throw new UncheckedIOException("coxswain.it.kubeconfig: cannot use " + file, e);
    }
  }

  @Override
  public Kubernetes controllers() {
    return connect(file, KubernetesOptions.DEFAULT);
  }

  @Override
  public Kubernetes outside() {
    return connect(file, KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofSeconds(30)));
  }

  @Override
  public Optional<Faults> faults() {
    return Optional.empty();
  }

  @Override
  public List<String> skipped() {
    List<String> lines = new ArrayList<>();
    for (StormFault fault : StormFault.values()) {
      lines.add("fault " + fault + ": needs a server that breaks on demand");
    }
    String reason = ": a cluster does not tell which of its watches are ours";
    lines.add("law \"" + StormRun.NO_WATCH_LEAKED + "\"" + reason);
    lines.add("law \"" + StormRun.NO_WATCH_LEFT + "\"" + reason);
    return lines;
  }

  @Override
  public boolean remains() {
    return true;
  }

  @Override
  public String describe() {
    return "%s, from the kubeconfig %s".formatted(address, file.getFileName());
  }

  @Override
  public void close() {
    // it goes on
  }
}
