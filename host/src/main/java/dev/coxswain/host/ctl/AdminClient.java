// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * Speaks with the admin API. It uses the oldest HTTP client of the JDK, which is loaded in a tenth
 * of the time of the newer one; nothing is sent twice by itself except what has certainly not been
 * done.
 */
final class AdminClient implements AutoCloseable {

  static final String API = "/api/v1";

  private static final int MAX_BODY = 64 * 1024 * 1024;
  private static final int ATTEMPTS = 5;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final int UNAUTHORIZED = 401;
  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;

  private final Route route;
  private final Tls tls;
  private final Duration timeout;
  private final Surroundings around;
  private @Nullable URI reached;

  AdminClient(Route route, Tls tls, Duration timeout, Surroundings around) {
    this.route = route;
    this.tls = tls;
    this.timeout = timeout;
    this.around = around;
  }

  /**
   * An answer that is none of the errors.
   *
   * @param body what it says; missing for an empty one
   * @param etag the revision of what it shows, or empty
   */
  record Answer(Json body, String etag) {}

  Json get(String path) {
    return send("GET", path, null, Map.of()).body();
  }

  Answer look(String path) {
    return send("GET", path, null, Map.of());
  }

  /**
   * Asks for a change; without an answer it is unknown whether it was made, and the message says
   * so.
   */
  Answer change(String method, String path, Json body, Map<String, String> headers) {
    return send(method, path, body, headers);
  }

  /** Opens a stream that goes on until it is closed. A silence of {@code silence} ends it. */
  InputStream open(String path, String accept, Map<String, String> headers, Duration silence)
      throws IOException {
    HttpURLConnection connection = exchange("GET", path, accept, null, headers, silence);
    return connection.getInputStream();
  }

  String itemNamespace() {
    return route.itemNamespace();
  }

  /** Makes the way to the server anew, and returns whether anything may be different now. */
  boolean renew() {
    reached = null;
    return route.renew();
  }

  /** Returns where it is, for questions and messages. */
  String address() {
    return (reached == null ? route.servers().getFirst() : reached).toString();
  }

  @Override
  public void close() {
    route.close();
  }

  private Answer send(
      String method, String path, @Nullable Json body, Map<String, String> headers) {
    try {
      HttpURLConnection connection =
          exchange(method, path, "application/json", body, headers, timeout);
      try (InputStream in = connection.getInputStream()) {
        byte[] bytes = in.readNBytes(MAX_BODY);
        String etag = connection.getHeaderField("ETag");
        return new Answer(
            bytes.length == 0
                ? Json.MISSING
                : Json.parse(new String(bytes, StandardCharsets.UTF_8)),
            etag == null ? "" : etag);
      }
    } catch (IOException e) {
      throw lost(method, e);
    }
  }

  private HttpURLConnection exchange(
      String method,
      String path,
      String accept,
      @Nullable Json body,
      Map<String, String> headers,
      Duration silence)
      throws IOException {
    boolean renewed = false;
    for (int attempt = 1; ; attempt++) {
      HttpURLConnection connection = connect(method, path, accept, body, headers, silence);
      int status = connection.getResponseCode();
      if (status < 300) {
        return connection;
      }
      Problem problem = new Problem(status, problemOf(connection));
      if (status == UNAUTHORIZED && !renewed && renew()) {
        renewed = true;
        continue;
      }
      Duration wait = retryAfter(connection);
      boolean nothingDone = status == TOO_MANY || (status == UNAVAILABLE && method.equals("GET"));
      if (!nothingDone || wait == null || attempt == ATTEMPTS) {
        throw problem;
      }
      around.waitFor(wait);
    }
  }

  private HttpURLConnection connect(
      String method,
      String path,
      String accept,
      @Nullable Json body,
      Map<String, String> headers,
      Duration silence)
      throws IOException {
    @Nullable ConnectException refused = null;
    for (URI server : reached == null ? route.servers() : List.of(reached)) {
      try {
        HttpURLConnection connection = prepared(server, method, path, accept, headers, silence);
        if (body == null) {
          connection.connect();
        } else {
          byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
          connection.setRequestProperty("Content-Type", "application/json");
          connection.setDoOutput(true);
          // A body of known length is never sent a second time by the JDK.
          connection.setFixedLengthStreamingMode(bytes.length);
          try (OutputStream out = connection.getOutputStream()) {
            out.write(bytes);
          }
        }
        reached = server;
        return connection;
      } catch (ConnectException e) {
        refused = e;
      }
    }
    throw refused == null ? new ConnectException("there is no address") : refused;
  }

  private HttpURLConnection prepared(
      URI server,
      String method,
      String path,
      String accept,
      Map<String, String> headers,
      Duration silence)
      throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(server + API + path).toURL().openConnection();
    if (connection instanceof HttpsURLConnection secure) {
      tls.apply(secure);
    }
    connection.setRequestMethod(method);
    connection.setInstanceFollowRedirects(false); // the token is for this server alone
    connection.setUseCaches(false);
    connection.setConnectTimeout(millis(timeout));
    connection.setReadTimeout(millis(silence));
    connection.setRequestProperty("Accept", accept + ", application/problem+json");
    connection.setRequestProperty("Authorization", "Bearer " + route.token());
    headers.forEach(connection::setRequestProperty);
    return connection;
  }

  private static int millis(Duration time) {
    return Math.clamp(time.toMillis(), 1, Integer.MAX_VALUE);
  }

  private static Json problemOf(HttpURLConnection connection) {
    try (InputStream in = connection.getErrorStream()) {
      String type = connection.getContentType();
      if (in == null || type == null || !type.contains("json")) {
        return Json.MISSING;
      }
      return Json.parse(new String(in.readNBytes(MAX_BODY), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Json.MISSING; // the status says enough
    }
  }

  private static @Nullable Duration retryAfter(HttpURLConnection connection) {
    try {
      long seconds = Long.parseLong(String.valueOf(connection.getHeaderField("Retry-After")));
      Duration wait = Duration.ofSeconds(Math.max(1, seconds));
      return wait.compareTo(LONGEST_WAIT) > 0 ? null : wait;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private CtlException lost(String method, IOException e) {
    String where = "the admin API at " + address();
    if (e instanceof ConnectException) {
      return new CtlException(where + " cannot be reached: " + e.getMessage(), e);
    }
    String why =
        switch (e) {
          case SocketTimeoutException _ -> where + " did not answer within " + Ages.shown(timeout);
          case JsonProcessingException _ ->
              where + " answered with something else than JSON: is it an admin API?";
          default -> "the connection to " + where + " failed: " + reason(e);
        };
    return new CtlException(
        method.equals("GET")
            ? why
            : why + "\nwhether the change was made is not known: look before you try again",
        e);
  }

  static String reason(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Returns a path of parts that are each encoded. */
  static String path(String... parts) {
    StringBuilder path = new StringBuilder();
    for (String part : parts) {
      path.append('/').append(encoded(part));
    }
    return path.toString();
  }

  /** Returns a query of names and values; those without a value are left out. */
  static String query(Map<String, String> parameters) {
    StringBuilder query = new StringBuilder();
    parameters.forEach((name, value) ->
        query.append(query.isEmpty() ? '?' : '&').append(name).append('=').append(encoded(value)));
    return query.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
