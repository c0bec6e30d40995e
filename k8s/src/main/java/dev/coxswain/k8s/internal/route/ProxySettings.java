// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Objects;
import okhttp3.Credentials;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * A proxy on the way to an API server.
 *
 * <p>Thread rule: immutable.
 *
 * @param scheme {@code http}, {@code https} or {@code socks5}
 * @param host its host
 * @param port its port
 * @param user a user name; empty for none
 * @param password the password to it
 */
public record ProxySettings(String scheme, String host, int port, String user, String password) {

  private static final String HEADER = "Proxy-Authorization";

  /**
   * Reads the URL of a proxy.
   *
   * @throws IllegalArgumentException when it is none; the message has no part of the URL, which may
   *     contain a password
   */
  public static ProxySettings parse(String url) {
    URI uri;
    try {
      uri = new URI(url.strip());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("it is not a URL");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme();
    int usual =
        switch (scheme) {
          case "http" -> 80;
          case "https" -> 443;
          case "socks5" -> 1080;
          default ->
              throw new IllegalArgumentException(
                  "it must begin with http://, https:// or socks5://");
        };
    String host = uri.getHost();
    if (host == null || uri.getPort() > 65535 || uri.getPort() == 0) {
      throw new IllegalArgumentException("it has no host, or a wrong port");
    }
    String info = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    int colon = info.indexOf(':');
    return new ProxySettings(
        scheme,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        uri.getPort() < 0 ? usual : uri.getPort(),
        decoded(colon < 0 ? info : info.substring(0, colon)),
        colon < 0 ? "" : decoded(info.substring(colon + 1)));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * Leads all requests through the proxy.
   *
   * @param tls the trust in a proxy with TLS, the same as in the server
   */
  void apply(OkHttpClient.Builder http, @Nullable TlsSettings tls) throws GeneralSecurityException {
    if (scheme.equals("socks5")) {
      http.proxy(Proxy.NO_PROXY)
          .socketFactory(new Socks5Connections(this))
          .dns(Socks5Connections.UNRESOLVED);
      return;
    }
    http.proxy(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host, port)));
    if (isSecure()) {
      http.socketFactory(Objects.requireNonNull(tls, "tls").proxySockets());
    }
    if (!user.isEmpty()) {
      String basic = Credentials.basic(user, password, StandardCharsets.UTF_8);
      http.proxyAuthenticator((_, response) -> answer(response.request(), basic));
      http.addInterceptor(chain -> chain.proceed(plain(chain, basic)));
    }
  }

  /** Returns the request for a tunnel with the password; null when it was refused before. */
  private static @Nullable Request answer(Request request, String basic) {
    return request.header(HEADER) == null
        ? request.newBuilder().header(HEADER, basic).build()
        : null;
  }

  /** Without a tunnel the request itself has the password, at once: a write is not sent again. */
  private static Request plain(Interceptor.Chain chain, String basic) {
    Request request = chain.request();
    return request.isHttps() ? request : request.newBuilder().header(HEADER, basic).build();
  }

  /** Returns whether the connection to the proxy itself has TLS. */
  public boolean isSecure() {
    return scheme.equals("https");
  }

  /** Returns the URL without the password. */
  public String url() {
    return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  @Override
  public String toString() {
    return "the proxy " + url();
  }
}
