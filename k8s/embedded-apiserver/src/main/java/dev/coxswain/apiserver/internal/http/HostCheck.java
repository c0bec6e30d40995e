// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.status.ApiException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Check of the {@code Host} header against DNS rebinding: a web page whose own name resolves to
 * this server still sends that name. Immutable, any thread.
 *
 * <p>A server on a loopback address accepts loopback names and addresses only. A server on another
 * address accepts those, any literal address, and the name it is bound to; with tokens it accepts
 * every name, because a page has no token.
 */
public final class HostCheck {
  private static final Pattern PORT = Pattern.compile(":[0-9]{1,5}");

  private final String bound;
  private final boolean loopback;
  private final boolean tokens;

  /**
   * Creates the check of one server.
   *
   * @param bound name or address that the server is bound to
   * @param tokens whether requests need a token
   */
  public HostCheck(String bound, boolean tokens) {
    this.bound = bound.toLowerCase(Locale.ROOT);
    this.loopback = loopback(this.bound);
    this.tokens = tokens;
  }

  /** Throws a 400 for a request without exactly one host, a 421 for one with a foreign host. */
  void check(HttpServerRequest request) {
    List<String> hosts = hosts(request);
    if (hosts.size() > 1 || (hosts.isEmpty() && request.version() != HttpVersion.HTTP_1_0)) {
      throw ApiException.badRequest("a request must have exactly one Host header");
    }
    if (!accepts(hosts.isEmpty() ? "" : hosts.getFirst())) {
      throw ApiException.of(
          421,
          "MisdirectedRequest",
          "the Host header must be a loopback address: localhost, 127.0.0.1 or [::1]"
              + (loopback ? "" : ", or the address of this server"),
          null);
    }
  }

  private static List<String> hosts(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      return request.headers().getAll("Host");
    }
    HostAndPort authority = request.authority();
    return authority == null ? List.of() : List.of(authority.toString());
  }

  /** Returns whether the value of a Host header, with or without a port, is accepted. */
  boolean accepts(String authority) {
    if (!loopback && tokens) {
      return true;
    }
    String host = host(authority);
    if (host == null) {
      return false;
    }
    return loopback(host) || (!loopback && (host.equals(bound) || literal(host) != null));
  }

  /** Returns the host of an authority in lower case, or null when it is malformed. */
  private static @Nullable String host(String authority) {
    int end;
    String host;
    if (authority.startsWith("[")) {
      end = authority.indexOf(']') + 1;
      host = end == 0 ? "" : authority.substring(1, end - 1);
      if (host.indexOf(':') < 0) {
        return null;
      }
    } else {
      int colon = authority.indexOf(':');
      end = colon < 0 ? authority.length() : colon;
      host = authority.substring(0, end);
    }
    String rest = authority.substring(end);
    return rest.isEmpty() || PORT.matcher(rest).matches() ? host.toLowerCase(Locale.ROOT) : null;
  }

  private static boolean loopback(String host) {
    InetAddress address = literal(host);
    return address == null ? host.equals("localhost") : address.isLoopbackAddress();
  }

  /** Parses a literal address without a name server; null for anything else. */
  private static @Nullable InetAddress literal(String host) {
    try {
      return InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
