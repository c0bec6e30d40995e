// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static dev.coxswain.host.internal.plugins.PluginHost.await;
import static dev.coxswain.testing.PluginJars.definition;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.admin.spi.PluginDirectory.Plugin;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.testing.PluginJars;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A host with a plug-in that works, beside which a test puts others. */
abstract class PluginFixture {

  @TempDir Path work;

  final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  PluginJars jars;
  Path folder;
  PluginHost host;
  private final List<ControllerDefinition> ofClassPath;

  PluginFixture(ControllerDefinition... ofClassPath) {
    this.ofClassPath = List.of(ofClassPath);
  }

  @BeforeEach
  void open() {
    jars = new PluginJars(work);
    folder = work.resolve("plugins");
    jars.write(jar("good"), jars.plugin(List.of("Good"), definition("Good", "good")));
    host =
        new PluginHost(
            Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
            folder,
            ofClassPath,
            "drainLimit=200ms");
    List<String> running = new ArrayList<>(ofClassPath.stream().map(one -> one.name()).toList());
    running.add("good");
    await(() -> host.running().equals(running));
  }

  @AfterEach
  void close() {
    host.close();
    server.close();
  }

  Path jar(String name) {
    return folder.resolve(name + ".jar");
  }

  /** Returns the error of a plug-in that fails, while the good one goes on undisturbed. */
  String failed(String name) {
    await(() -> host.plugin(name).phase() == Phase.FAILED);
    Plugin good = host.plugin("good");
    assertThat(good.phase()).isEqualTo(Phase.RUNNING);
    assertThat(good.error()).isEmpty();
    assertThat(good.deployments()).isEqualTo(1);
    return host.plugin(name).error();
  }
}
