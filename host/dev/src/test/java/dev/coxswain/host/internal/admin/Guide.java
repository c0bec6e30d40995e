// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A host with exactly the rights listed in the guide. */
final class Guide {

  /** Stands for the service account of the host. */
  static final Token HOST =
      new Token("of-host", "system:serviceaccount:default:coxswain", List.of());

  /** A user with all rights. */
  static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));

  private Guide() {}

  /** Applies the manifests of the guide for the admin API. */
  static void apply(EmbeddedApiServer server) {
    // What every cluster has.
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: "system:auth-delegator"}
        rules:
        - {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
        - {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
        """);
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: payments}}"); // of its example
    server.apply(manifests());
  }

  private static String manifests() {
    try {
      Path file =
          Path.of(System.getProperty("basedir", "."), "..", "..", "docs", "guides", "deploying.md");
      String guide = Files.readString(file);
      String chapter = guide.substring(guide.indexOf("## Who may use the admin API"));
      var block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(chapter);
      assertThat(block.find()).isTrue();
      return block.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns access with a token. */
  static Kubernetes access(EmbeddedApiServer server, String token) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    new AccessTokenAuthentication(token).provide(client);
    return Kubernetes.of(client, KubernetesOptions.DEFAULT);
  }
}
