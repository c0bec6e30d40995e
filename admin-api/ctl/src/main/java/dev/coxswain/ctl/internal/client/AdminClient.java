// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.Console;
import dev.coxswain.ctl.internal.print.HumanDuration;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client of the admin API. A request is retried only if the server cannot have processed
 * it.
 */
public final class AdminClient implements AutoCloseable {

  static final String API = "/api/v1";

  private static final String JSON = "application/json";

  private static final int MAX_BODY = 64 * 1024 * 1024;
  private static final int ATTEMPTS = 5;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final int FIRST_ERROR = 300; // the admin API never redirects
  private static final int UNAUTHORIZED = 401;
  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;
  private static final String GET = "GET";

  private final Endpoint route;
  private final Settings settings;
  private final Console console;
  private final HttpTransport transport;
  private @Nullable URI reached;

  /**
   * Options of every request.
   *
   * @param tls the trusted certificates
   * @param timeout of one request
   * @param scope query parameters of every request that select replicas
   */
  public record Settings(Tls tls, Duration timeout, Map<String, String> scope) {}

  public AdminClient(Endpoint route, Settings settings, Console console) {
    this.route = route;
    this.settings = settings;
    this.console = console;
    this.transport = new HttpTransport(settings.tls());
  }

  /**
   * A successful response.
   *
   * @param body {@link Json#MISSING} when the response is empty
   * @param etag the revision of the object, or empty
   */
  public record Answer(Json body, String etag) {}

  /**
   * A request.
   *
   * @param silence the longest time without a byte of the response
   */
  private record Call(
      String method,
      String path,
      String accept,
      @Nullable Json body,
      Map<String, String> headers,
      Duration silence) {}

  public Json get(String path) {
    return get(path, JSON);
  }

  /** Reads in a media type, which is one of JSON. */
  public Json get(String path, String accept) {
    return send(GET, path, accept, null, Map.of()).body();
  }

  public Answer getWithRevision(String path) {
    return send(GET, path, JSON, null, Map.of());
  }

  /**
   * Sends a change. When the response is lost, the message of the exception reports that the change
   * may have been made.
   */
  public Answer change(String method, String path, Json body, Map<String, String> headers) {
    return send(method, path, JSON, body, headers);
  }

  /** Opens a stream, which ends when it is closed or receives nothing for {@code silence}. */
  public InputStream open(String path, String accept, Map<String, String> headers, Duration silence)
      throws IOException {
    return exchange(new Call(GET, path, accept, null, headers, silence)).body();
  }

  /**
   * Returns the exception for a response that is missing or incomplete.
   *
   * @param reading whether the request was a read, which changes nothing
   * @param timeout the time-out
   */
  CommandException connectionError(boolean reading, Duration timeout, IOException e) {
    String failure = route.failure();
    CommandException lost = ConnectionErrors.answer(address(), reading, timeout, e);
    return failure.isEmpty() ? lost : new CommandException(lost.getMessage() + "\n" + failure, e);
  }

  public String itemNamespace() {
    return route.itemNamespace();
  }

  /** Connects again, and returns whether a retry can succeed. */
  boolean renew() {
    reached = null;
    return route.renew();
  }

  /** Returns the address of the server, for prompts and messages. */
  public String address() {
    return (reached == null ? route.servers().getFirst() : reached).toString();
  }

  @Override
  public void close() {
    route.close();
  }

  private Answer send(
      String method, String path, String accept, @Nullable Json body, Map<String, String> headers) {
    HttpTransport.Response response;
    try {
      response = exchange(new Call(method, path, accept, body, headers, settings.timeout()));
      try (InputStream in = response.body()) {
        byte[] bytes = in.readNBytes(MAX_BODY);
        return new Answer(
            bytes.length == 0
                ? Json.MISSING
                : Json.parse(new String(bytes, StandardCharsets.UTF_8)),
            response.header("ETag"));
      }
    } catch (IOException e) {
      throw connectionError(method.equals(GET), settings.timeout(), e);
    }
  }

  private HttpTransport.Response exchange(Call call) throws IOException {
    boolean renewed = false;
    for (int attempt = 1; ; attempt++) {
      HttpTransport.Response response;
      try {
        response = connect(call);
      } catch (ConnectException e) {
        // Nothing was sent, so another endpoint may be tried.
        String failure = renewed ? "" : route.failure();
        if (failure.isEmpty()) {
          throw e;
        }
        console.note(failure + "; trying another pod");
        renewed = renew();
        continue;
      }
      int status = response.status();
      if (status < FIRST_ERROR) {
        return response;
      }
      ProblemException problem = new ProblemException(status, problemOf(response));
      if (status == UNAUTHORIZED && !renewed && renew()) {
        renewed = true;
        continue;
      }
      Duration wait = retryAfter(response);
      boolean nothingDone =
          status == TOO_MANY || (status == UNAVAILABLE && call.method.equals(GET));
      if (!nothingDone || wait == null || attempt == ATTEMPTS) {
        throw problem;
      }
      console.note(
          problem.title() + "; retrying in " + HumanDuration.shown(wait) + " (Retry-After)");
      console.waitFor(wait);
    }
  }

  private HttpTransport.Response connect(Call call) throws IOException {
    @Nullable ConnectException refused = null;
    for (URI server : reached == null ? route.servers() : List.of(reached)) {
      try {
        HttpTransport.Response response =
            transport.send(
                call.method,
                URI.create(server + API + scoped(call.path)),
                headers(call),
                call.body == null ? null : call.body.toString(),
                settings.timeout(),
                call.silence);
        reached = server;
        return response;
      } catch (ConnectException e) {
        refused = e;
      }
    }
    throw refused == null ? new ConnectException("no address") : refused;
  }

  private Map<String, String> headers(Call call) {
    Map<String, String> headers = new LinkedHashMap<>(call.headers);
    headers.put("Accept", call.accept + ", application/problem+json");
    headers.put("Authorization", "Bearer " + route.token());
    if (call.body != null) {
      headers.put("Content-Type", JSON);
    }
    return headers;
  }

  private String scoped(String path) {
    String scope = query(settings.scope());
    return path.contains("?") ? path + scope.replace('?', '&') : path + scope;
  }

  private static Json problemOf(HttpTransport.Response response) {
    try (InputStream in = response.body()) {
      if (!response.header("Content-Type").contains("json")) {
        return Json.MISSING;
      }
      return Json.parse(new String(in.readNBytes(MAX_BODY), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Json.MISSING; // the status is reported
    }
  }

  private static @Nullable Duration retryAfter(HttpTransport.Response response) {
    try {
      long seconds = Long.parseLong(response.header("Retry-After"));
      Duration wait = Duration.ofSeconds(Math.max(1, seconds));
      return wait.compareTo(LONGEST_WAIT) > 0 ? null : wait;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Returns a path with each part encoded. */
  public static String path(String... parts) {
    StringBuilder path = new StringBuilder();
    for (String part : parts) {
      path.append('/').append(encoded(part));
    }
    return path.toString();
  }

  /** Returns a query string; parameters without a value are omitted. */
  public static String query(Map<String, String> parameters) {
    StringBuilder query = new StringBuilder();
    parameters.forEach((name, value) ->
        query.append(query.isEmpty() ? '?' : '&').append(name).append('=').append(encoded(value)));
    return query.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
