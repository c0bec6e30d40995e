// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.route.ProxyEnvironment;
import dev.coxswain.k8s.internal.route.ServerRoute;
import dev.coxswain.k8s.internal.route.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The access to an API server by an address, or by the service account of a pod.
 *
 * <p>Thread rule: stateless; reads files, so not on an event loop.
 */
public final class AuthenticatedAccess {

  private AuthenticatedAccess() {}

  /** Returns the access by a route whose requests get a credential and headers. */
  static ServerAccess of(ServerRoute route, CredentialSource source, Headers headers)
      throws AccessException {
    try {
      OkHttpClient.Builder http = route.client();
      TlsSettings tls = route.tls();
      http.addInterceptor(
          new AuthenticatedRequests(
              source, headers, tls == null || !route.isSecure() ? null : tls.trust()));
      http.addNetworkInterceptor(AuthenticatedRequests::leaveRefused);
      return ServerAccess.of(route.address(), http.build());
    } catch (GeneralSecurityException e) {
      throw new AccessException("TLS cannot be used: " + e.getMessage());
    }
  }

  /**
   * Returns the access to a server without authentication.
   *
   * @param address such as {@code http://127.0.0.1:8001}
   * @param environment the variables of the process, for proxies
   * @throws AccessException when TLS or the proxy of the environment cannot be used
   */
  public static ServerAccess anonymous(String address, Map<String, String> environment)
      throws AccessException {
    return of(
        route(address, null, environment), CredentialSource.of(Credential.NONE), Headers.of());
  }

  /**
   * Returns the access of a service account, by the variables and files of a pod.
   *
   * @param account the folder with {@code token} and {@code ca.crt}
   * @param environment the variables of the process
   * @param period the time after which the token is read again
   * @throws AccessException when this is not a pod, or the account is not mounted
   */
  public static ServerAccess inCluster(
      Path account, Map<String, String> environment, Duration period) throws AccessException {
    String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
    String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
    if (host.isEmpty()) {
      throw new AccessException(
          "this does not run in a pod: the environment has no KUBERNETES_SERVICE_HOST");
    }
    if (!Files.isReadable(account.resolve("token"))
        || !Files.isReadable(account.resolve("ca.crt"))) {
      throw new AccessException(
          account
              + ": the service account of the pod is not mounted (token and ca.crt); is"
              + " automountServiceAccountToken disabled?");
    }
    ConfiguredFile token = file(account, "token");
    byte[] authorities = file(account, "ca.crt").read();
    String address = "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    return of(
        route(address, authorities, environment),
        FileCredentials.of(
            List.of(token),
            contents -> KubeconfigAccess.bearer(contents.getFirst(), token),
            period),
        Headers.of());
  }

  private static ConfiguredFile file(Path account, String name) {
    return ConfiguredFile.ofPath(
        what -> new AccessException("service account: " + what), name, account.resolve(name));
  }

  private static ServerRoute route(
      String address, byte @Nullable [] authorities, Map<String, String> environment)
      throws AccessException {
    HttpUrl url = HttpUrl.parse(address);
    if (url == null) {
      throw new AccessException("not an address with http:// or https://: " + address);
    }
    try {
      var proxy = ProxyEnvironment.proxy(environment, url.isHttps(), url.host(), url.port());
      boolean secure = url.isHttps() || (proxy != null && proxy.isSecure());
      String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
      return new ServerRoute(base, secure ? TlsSettings.of(authorities, "") : null, proxy);
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new AccessException(String.valueOf(e.getMessage()));
    }
  }
}
