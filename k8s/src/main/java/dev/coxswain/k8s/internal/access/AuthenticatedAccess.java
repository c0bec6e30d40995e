// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.client.ServerAccess;
import dev.coxswain.k8s.internal.AccessException;
import dev.coxswain.k8s.internal.route.ProxyEnvironment;
import dev.coxswain.k8s.internal.route.ServerRoute;
import dev.coxswain.k8s.internal.route.TlsSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http.ExchangeCodec;
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

  /**
   * Adds the credential and fixed headers to each request. A request that the server refuses with 401
   * was not carried out; when there is a newer credential it is sent once more with it.
   */
  private static final class AuthenticatedRequests implements Interceptor {

    private static final int UNAUTHORIZED = 401;

    private final CredentialSource source;
    private final Headers fixed;
    private final @Nullable X509TrustManager trust;

    /**
     * Creates the interceptor.
     *
     * @param fixed headers of all requests
     * @param trust trusts the certificate of the server; null without TLS
     */
    AuthenticatedRequests(
        CredentialSource source, Headers fixed, @Nullable X509TrustManager trust) {
      this.source = source;
      this.fixed = fixed;
      this.trust = trust;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
      Credential credential = source.current();
      Response response = send(chain, credential);
      if (response.code() != UNAUTHORIZED) {
        source.accepted(credential);
        return response;
      }
      Credential newer;
      try {
        newer = source.renewed(credential);
      } catch (IOException e) {
        response.close();
        throw e;
      }
      if (newer == null) {
        return response;
      }
      response.close();
      Response second = send(chain, newer);
      if (second.code() != UNAUTHORIZED) {
        source.accepted(newer);
      }
      return second;
    }

    /**
     * Ends the use of a connection whose client certificate was refused: a call goes on with the
     * connection that it has, whatever certificate it should present. What runs on it goes on.
     */
    static Response leaveRefused(Chain chain) throws IOException {
      Response response = chain.proceed(chain.request());
      if (response.code() == UNAUTHORIZED
          && chain.connection() instanceof ExchangeCodec.Carrier connection
          && response.handshake() != null
          && response.handshake().localPrincipal() != null) {
        connection.noNewExchanges();
      }
      return response;
    }

    private Response send(Chain chain, Credential credential) throws IOException {
      Request.Builder request = chain.request().newBuilder();
      Headers.Builder headers = chain.request().headers().newBuilder();
      for (int i = 0; i < fixed.size(); i++) {
        headers.addUnsafeNonAscii(fixed.name(i), fixed.value(i));
      }
      if (!credential.authorization().isEmpty()) {
        headers.set("Authorization", credential.authorization());
      }
      SSLSocketFactory sockets = credential.sockets();
      // Connections are shared by requests with the same factory only: another certificate gets
      // connections of its own.
      Chain with =
          sockets == null || trust == null ? chain : chain.withSslSocketFactory(sockets, trust);
      return with.proceed(request.headers(headers.build()).build());
    }
  }
}
