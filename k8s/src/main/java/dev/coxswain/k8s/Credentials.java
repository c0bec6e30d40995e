// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.client.ServerAccess;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.ConnectionSpec;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The address of the API server and the credentials of this process.
 *
 * <p>Thread rule: stateless; reads files, so not on an event loop.
 */
final class Credentials {

  /**
   * The time after which a token is read or requested again: files are rotated, and tokens of
   * plug-ins expire.
   */
  static final Duration TOKEN_PERIOD = Duration.ofMinutes(1);

  /** The directory of a pod's service account. */
  static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private Credentials() {}

  /**
   * Loads what takes longest of the client.
   *
   * @param tls whether the API server has TLS
   */
  static void loadAhead(boolean tls) throws IOException, GeneralSecurityException {
    at("http://127.0.0.1");
    Json.decode("{}", V1ConfigMap.class);
    if (tls) {
      AuthorityTrust.loadAhead();
    }
  }

  static ServerAccess fromKubeconfig(Path file, Duration tokenPeriod) throws IOException {
    KubeConfig config;
    try (Reader reader = Files.newBufferedReader(file)) {
      config = KubeConfig.loadKubeConfig(reader);
    }
    config.setFile(file.toFile()); // the base of relative paths in it
    String server = config.getServer();
    if (server == null || !isPlain(config, server)) {
      return ServerAccess.of(ClientBuilder.kubeconfig(config, tokenPeriod).build());
    }
    return access(
        server,
        config.getDataOrFileRelative(
            config.getCertificateAuthorityData(), config.getCertificateAuthorityFile()),
        null);
  }

  /** Returns whether the official client need not provide credentials or special checks. */
  private static boolean isPlain(KubeConfig config, String server) {
    String serverName = config.getTlsServerName();
    return (server.startsWith("https://") || server.startsWith("http://"))
        && config.verifySSL()
        && (serverName == null || serverName.isEmpty())
        && isAnonymous(config);
  }

  /** Returns whether no user of the file has credentials; most files have one user. */
  private static boolean isAnonymous(KubeConfig config) {
    List<Object> users = Objects.requireNonNullElse(config.getUsers(), new ArrayList<>());
    return users.stream()
        .allMatch(entry ->
            entry instanceof Map<?, ?> named
                && (named.get("user") == null
                    || (named.get("user") instanceof Map<?, ?> user && user.isEmpty())));
  }

  static ServerAccess inCluster(Path account, Map<String, String> environment, Duration tokenPeriod)
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
    return access(
        "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port,
        Files.readAllBytes(authority),
        new BearerToken(token, tokenPeriod));
  }

  private static ServerAccess access(
      String address, byte @Nullable [] authority, @Nullable Interceptor credentials)
      throws IOException {
    OkHttpClient.Builder http = new OkHttpClient.Builder();
    if (address.startsWith("http://")) {
      // Otherwise the client reads the authorities of the JDK.
      http.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT));
    } else if (authority != null) {
      AuthorityTrust.apply(http, authority);
    }
    if (credentials != null) {
      http.addInterceptor(credentials);
    }
    String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    return ServerAccess.of(base, http.build());
  }

  /** Returns the access to a server without authentication. */
  static ServerAccess at(String address) {
    try {
      return access(address, null, null);
    } catch (IOException e) {
      throw new IllegalStateException("nothing was read", e);
    }
  }
}
