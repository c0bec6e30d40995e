// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.k8s.Kubernetes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the storm takes place. Any thread; calls may block. */
interface StormCluster extends AutoCloseable {

  /** Returns access for the controllers, with connections of its own. */
  Kubernetes controllers();

  /** Returns access for other clients, with connections of its own. */
  Kubernetes outside();

  /** Returns what breaks the server; empty when nothing can. */
  Optional<Faults> faults();

  /** Returns what cannot be done or checked here, each with the reason. */
  List<String> skipped();

  /** Whether it is still there after the run, so that nothing may be left in it. */
  boolean remains();

  /** Returns what to call it. */
  String describe();

  @Override
  void close();

  /**
   * Returns the cluster of {@code -Dcoxswain.it.kubeconfig}, or a new embedded server without it.
   */
  static StormCluster ofProperties() {
    String file = System.getProperty("coxswain.it.kubeconfig", "");
    return file.isEmpty()
        ? new EmbeddedCluster()
        : KubeconfigCluster.of(Path.of(file), System.getProperty("coxswain.it.confirm", ""));
  }
}
