// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The address of an API server, and an HTTP client with the credentials for it.
 *
 * <p>The official client is one way to make it. Its constructor registers the JSON form of each of
 * its 780 models, of which this module uses none, and reads the authorities of the JDK: a third of a
 * second of processor time at the start of a process. So a host makes its HTTP client itself, and
 * takes the official one only for credentials that need it.
 *
 * <p>Thread rule: immutable.
 */
public final class ServerAccess {

  /** Builds a GET request with the credentials that are not in the HTTP client. */
  private interface Requests {
    Request get(String path, Map<String, String> query, Map<String, String> headers);
  }

  private final String address;
  private final OkHttpClient http;
  private final Requests requests;

  private ServerAccess(String address, OkHttpClient http, Requests requests) {
    this.address = Objects.requireNonNull(address, "address");
    this.http = Objects.requireNonNull(http, "http");
    this.requests = requests;
  }

  /**
   * Returns the access of an HTTP client that adds the credentials itself.
   *
   * @param address such as {@code https://10.0.0.1:443}, without a slash at the end
   * @param http its interceptors add the credentials
   */
  public static ServerAccess of(String address, OkHttpClient http) {
    HttpUrl server = HttpUrl.parse(address);
    return new ServerAccess(
        address,
        http,
        (path, query, headers) -> {
          Request.Builder request = new Request.Builder().url(url(server, address, path, query));
          headers.forEach(request::header);
          return request.build();
        });
  }

  /** Returns the access of a client of the official library, which is not changed. */
  public static ServerAccess of(ApiClient client) {
    return new ServerAccess(
        client.getBasePath(),
        client.getHttpClient(),
        (path, query, headers) -> official(client, path, query, headers));
  }

  /** Returns the same with another HTTP client, one that is derived from {@link #http}. */
  public ServerAccess withHttp(OkHttpClient other) {
    return new ServerAccess(address, other, requests);
  }

  /** Returns the address of the API server. */
  public String address() {
    return address;
  }

  /** Returns the HTTP client. */
  public OkHttpClient http() {
    return http;
  }

  Request get(String path, Map<String, String> query, Map<String, String> headers) {
    return requests.get(path, query, headers);
  }

  /**
   * Returns the URL of a request. The host is not parsed again each time: reading it as an
   * internationalized name takes longer than everything else of it.
   *
   * @param server the parsed address, or null for one that cannot be parsed
   */
  private static HttpUrl url(
      @Nullable HttpUrl server, String address, String path, Map<String, String> query) {
    StringJoiner joined = new StringJoiner("&");
    query.forEach((name, value) -> joined.add(escaped(name) + "=" + escaped(value)));
    String all = joined.toString();
    if (server == null || path.indexOf('?') >= 0) {
      return HttpUrl.get(address + path + (all.isEmpty() ? "" : "?" + all));
    }
    String before = server.encodedPath();
    return server
        .newBuilder()
        .encodedPath((before.equals("/") ? "" : before) + path)
        .encodedQuery(all.isEmpty() ? null : all)
        .build();
  }

  private static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static Request official(
      ApiClient client, String path, Map<String, String> query, Map<String, String> headers) {
    List<Pair> pairs = new ArrayList<>();
    query.forEach((name, value) -> pairs.add(new Pair(name, value)));
    try {
      return client.buildRequest(
          null,
          path,
          "GET",
          pairs,
          new ArrayList<>(),
          null,
          new HashMap<>(headers),
          new HashMap<>(),
          new HashMap<>(),
          new String[] {"BearerToken"},
          null);
    } catch (ApiException e) {
      throw new ApiStatusException(
          ApiStatusException.NO_ANSWER, "", "cannot build a request for " + path, null, e);
    }
  }
}
