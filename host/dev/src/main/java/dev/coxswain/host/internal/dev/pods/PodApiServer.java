// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.host.internal.dev.DevToken;
import dev.coxswain.host.internal.dev.TlsRelay;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.webhooks.TrainingCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * An API server in memory for pods, which reach it with TLS as that of a cluster.
 *
 * <p>Thread rule: started on one thread, which is blocked; closed on any.
 */
final class PodApiServer implements AutoCloseable {

  /** What every cluster has, and the chart binds. */
  private static final String DELEGATOR =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: "system:auth-delegator"}
      rules:
      - {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
      - {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
      """;

  private final EmbeddedApiServer server;
  private final TlsRelay tls;
  private final Path folder;
  private final Duration patience;

  private PodApiServer(EmbeddedApiServer server, TlsRelay tls, Path folder, Duration patience) {
    this.server = server;
    this.tls = tls;
    this.folder = folder;
    this.patience = patience;
  }

  /** Starts one, whose certificate and kubeconfig are in a folder of the session. */
  static PodApiServer start(Path folder, StallLimit limit) throws HostException, IOException {
    EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withTokens(
                    List.of(
                        new Token(
                            UUID.randomUUID().toString(), "admin", List.of("system:masters"))))
                .withPatience(limit.length()));
    try {
      Path certificate = Files.createDirectory(folder.resolve("certificate"));
      TrainingCertificate.write(certificate);
      TlsRelay tls = TlsRelay.start(server.url(), certificate, limit);
      return new PodApiServer(server, tls, folder, limit.length());
    } catch (GeneralSecurityException e) {
      server.close();
      throw new HostException("no certificate can be made: " + e, e);
    } catch (HostException | IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Writes its kubeconfig, and returns access to a namespace of it, with what every cluster has. */
  PodCluster cluster(String namespace) throws HostException, IOException {
    Path kubeconfig =
        DevToken.write(folder.resolve("kubeconfig"), tls.kubeconfig(server.kubeconfig()));
    PodCluster api = new PodCluster(kubeconfig, namespace, patience);
    api.apply(CrdYaml.read(DELEGATOR).getFirst());
    return api;
  }

  @Override
  public void close() {
    tls.close();
    server.close();
  }
}
