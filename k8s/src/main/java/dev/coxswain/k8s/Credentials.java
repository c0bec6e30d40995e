// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Creation of clients with the address of the API server and the credentials of this process. */
final class Credentials {

  /**
   * The time after which a token is read or requested again: files are rotated, and tokens of
   * plug-ins expire.
   */
  static final Duration TOKEN_PERIOD = Duration.ofMinutes(1);

  /** The directory of a pod's service account. */
  static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private Credentials() {}

  static ApiClient fromKubeconfig(Path file, Duration tokenPeriod) throws IOException {
    KubeConfig config;
    try (Reader reader = Files.newBufferedReader(file)) {
      config = KubeConfig.loadKubeConfig(reader);
    }
    config.setFile(file.toFile());
    return ClientBuilder.kubeconfig(config, tokenPeriod).build();
  }

  static ApiClient inCluster(Path account, Map<String, String> environment, Duration tokenPeriod)
      throws IOException {
    String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
    String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
    if (host.isEmpty()) {
      throw new IOException(
          "this does not run in a pod: the environment has no KUBERNETES_SERVICE_HOST");
    }
    Path token = account.resolve("token");
    Path authority = account.resolve("ca.crt");
    if (!Files.isReadable(token) || !Files.isReadable(authority)) {
      throw new NoSuchFileException(
          account.toString(),
          null,
          "the service account of the pod is not mounted (token and ca.crt); is"
              + " automountServiceAccountToken disabled?");
    }
    return new ClientBuilder()
        .setBasePath("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port)
        .setCertificateAuthority(Files.readAllBytes(authority))
        .setAuthentication(new TokenFileAuthentication(token.toString(), tokenPeriod))
        .build();
  }
}
