// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.internal.json.PageReader;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.LostOwnershipException;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP client of the API server, used by {@link Resource} and the caches. Authors of
 * controllers use those.
 *
 * <p>Thread rule: any thread that may block; refused on a Vert.x event loop. Interrupting the
 * thread ends the call.
 *
 * <h2>Why not the official client's calls</h2>
 *
 * Its calls have no time limit and its watches no idle limit, so requests are sent by HTTP clients
 * derived from that of the {@link ServerAccess} (same connections, same credentials): one with a
 * limit for the whole call, one with an idle limit for watches. Guarded writes have connections of
 * their own, see {@link GuardedWrites}.
 */
public final class ApiTransport {

  /** The content type of a JSON merge patch. */
  public static final String MERGE_PATCH = "application/merge-patch+json";

  /** The content type of a JSON patch. */
  public static final String JSON_PATCH = "application/json-patch+json";

  /** The content type of a strategic merge patch. */
  public static final String STRATEGIC_PATCH = "application/strategic-merge-patch+json";

  /** The content type of a server-side apply; JSON is YAML. */
  public static final String APPLY_PATCH = "application/apply-patch+yaml";

  /** The content type of everything else. */
  public static final String JSON = "application/json";

  private static final Logger log = LoggerFactory.getLogger(ApiTransport.class);
  private static final int SERVER_ERROR = 500;

  private final ServerAccess server;
  private final KubernetesOptions options;
  private final HttpClients clients;
  private final WriteGuard guard;
  private final boolean guarded;
  private final ServerWarnings warnings;

  /** This and the executor are shared by all transports of one origin. */
  private final OutageProbe probe;

  private final CallExecutor executor;

  /**
   * Creates a transport.
   *
   * @param server the address and credentials
   * @param options the options
   */
  public ApiTransport(ServerAccess server, KubernetesOptions options) {
    this(server, options, new CallExecutor());
  }

  /**
   * Creates a transport with the address and credentials of a client of the official library, which
   * is not changed.
   */
  public ApiTransport(ApiClient client, KubernetesOptions options) {
    this(ServerAccess.of(client), options);
  }

  private ApiTransport(ServerAccess server, KubernetesOptions options, CallExecutor executor) {
    this.executor = executor;
    this.server = Objects.requireNonNull(server, "server");
    this.options = Objects.requireNonNull(options, "options");
    this.clients = HttpClients.of(server, options);
    this.guard = WriteGuard.OPEN;
    this.guarded = false;
    this.warnings = new ServerWarnings();
    OkHttpClient probes = clients.calls().newBuilder().dispatcher(OutageProbe.dispatcher()).build();
    this.probe =
        new OutageProbe(
            () -> probes.newCall(request("GET", "/version", Map.of(), null, JSON)), executor);
  }

  private ApiTransport(
      ApiTransport other, WriteGuard guard, boolean guarded, CallExecutor executor) {
    this.server = other.server;
    this.options = other.options;
    this.clients = other.clients;
    this.guard = guard;
    this.guarded = guarded;
    this.warnings = other.warnings;
    this.probe = other.probe;
    this.executor = executor;
  }

  /**
   * Returns a transport with the same connections that also checks this guard before every {@link
   * #write}.
   */
  public ApiTransport guardedBy(WriteGuard further) {
    return new ApiTransport(this, guard.and(further), true, executor);
  }

  /**
   * Returns a transport for writes that belong to no attempt: its guard is {@link
   * WriteGuard#unbound}.
   */
  public ApiTransport unbound() {
    return guarded ? new ApiTransport(this, guard.unbound(), true, executor) : this;
  }

  /** Returns a transport to the same server with this time limit for calls and lists. */
  public ApiTransport withTimeout(Duration limit) {
    ApiTransport limited =
        new ApiTransport(server, options.withCallTimeout(limit).withListTimeout(limit), executor);
    return guarded ? limited.guardedBy(guard) : limited;
  }

  /**
   * Returns a transport with the same connections for one thread, which makes one call at a time:
   * {@link #cancel} ends it. An interrupt ends a call of a virtual thread only.
   */
  public ApiTransport cancellable() {
    return new ApiTransport(this, guard, guarded, executor.forOneThread());
  }

  /** Ends the call of a {@link #cancellable} transport, and every later one; any thread. */
  public void cancel() {
    executor.cancel();
  }

  /** Returns the options. */
  public KubernetesOptions options() {
    return options;
  }

  /**
   * Returns a number that grows with each request that the server answers, through this transport or
   * one derived from it, whatever the body. A status of 500 or above is no answer: a proxy may have
   * sent it.
   */
  public long answers() {
    return executor.answers();
  }

  /**
   * Has the server answer a small request soon, if it can, so that {@link #answers} grows when an
   * outage has ended. Does not block; at most four a second are sent, however many call this.
   */
  public void probe() {
    probe.send();
  }

  /**
   * Opens the connections for requests and for guarded writes on threads of their own, while the
   * caller prepares what the first requests need. A failure is left to the first request.
   */
  public void connectAhead() {
    Request request = request("GET", "/version", Map.of(), null, JSON);
    for (OkHttpClient client : List.of(clients.calls(), clients.writes())) {
      Thread.ofVirtual()
          .name("coxswain-connect")
          .start(() -> {
            try (Response response = client.newCall(request).execute()) {
              log.atDebug().addKeyValue("status", response.code()).log("connected to API server");
            } catch (Exception e) {
              // Interceptors may throw anything; the first request fails, too, and is reported.
              log.atDebug().setCause(e).log("no connection to API server yet");
            }
          });
    }
  }

  /** Returns the address of the API server. */
  public String address() {
    return server.address();
  }

  /**
   * Reads an object, or {@code /version}. A successful response without {@code kind} is no answer: a
   * proxy may have sent it.
   *
   * @param path the path
   * @param query query parameters
   * @throws ApiStatusException when the request fails
   */
  public JsonObject get(String path, Map<String, String> query) {
    return exchange(
        clients.calls(), request("GET", path, query, null, JSON), options.callTimeout());
  }

  /**
   * Sends a write. All writes of this module go through here. The server receives a time limit
   * ({@code timeout}) too: the call timeout, or what the guard leaves of it. A successful response
   * without {@code kind} is no answer: whether the write was stored is unknown. It is sent once, so
   * the same holds when the response is lost.
   *
   * @param method the HTTP method
   * @param path the path
   * @param query query parameters
   * @param body the body, or null
   * @param contentType its content type
   * @throws ApiStatusException when the request fails
   * @throws LostOwnershipException when a guard refuses it; nothing has been sent
   */
  public JsonObject write(
      String method,
      String path,
      Map<String, String> query,
      @Nullable JsonElement body,
      String contentType) {
    Duration left;
    try {
      left = GuardedWrites.permit(guard);
    } catch (GuardedWrites.Refused e) {
      throw e.of(method, path);
    }
    Duration limit = left.compareTo(options.callTimeout()) < 0 ? left : options.callTimeout();
    // The server counts from the receipt of the request. Its default of half a minute would outlast
    // this call, and perhaps the right of this replica to write.
    Map<String, String> limited = new HashMap<>(query);
    limited.put("timeout", Math.max(1, limit.toMillis()) + "ms");
    Request request = request(method, path, limited, body, contentType);
    if (!guarded) {
      return exchange(clients.calls(), request, limit);
    }
    Consumer<Boolean> ended = guard.sending();
    boolean answered = false;
    try {
      JsonObject stored =
          exchange(
              clients.writes(), request.newBuilder().tag(WriteGuard.class, guard).build(), limit);
      answered = true;
      return stored;
    } catch (ApiStatusException e) {
      // A server that could not complete it, or a proxy, does not know its result.
      answered = !e.isNoAnswer() && e.code() < SERVER_ERROR;
      throw e;
    } finally {
      ended.accept(answered);
    }
  }

  /**
   * Lists all pages, one object at a time, so that no page is in memory as a whole.
   *
   * <p>When the pages take longer than the server's compaction, the version of the list expires
   * (410). Then everything is read again, once, in one response without pages: the objects are
   * always those of one list, never a mixture of two.
   *
   * @param path the path of the collection
   * @param query query parameters without limit and continue
   * @param accept the representations to accept, see {@link ResourceType#acceptList}
   * @param restart called when the list starts again: the objects that {@code item} has received are
   *     void
   * @param item receives each object; called while the response is being read
   * @return the resource version to watch from, that of the first page
   * @throws ApiStatusException when the request fails; the objects that {@code item} has received
   *     are incomplete
   */
  public String list(
      String path,
      Map<String, String> query,
      String accept,
      Runnable restart,
      Consumer<ReceivedObject> item) {
    String token = "";
    String first = null;
    while (true) {
      Map<String, String> paged = new HashMap<>(query);
      paged.put("limit", Integer.toString(options.pageSize()));
      if (!token.isEmpty()) {
        paged.put("continue", token);
      }
      ListMetadata page;
      try {
        page = page(accepting(request("GET", path, paged, null, JSON), accept), item);
      } catch (ApiStatusException e) {
        if (token.isEmpty() || !e.isExpired()) {
          throw e;
        }
        restart.run();
        return page(accepting(request("GET", path, query, null, JSON), accept), item)
            .resourceVersion();
      }
      // Pages may come from different moments. A watch from the first one misses no change.
      first = first == null ? page.resourceVersion() : first;
      token = page.token();
      if (token.isEmpty()) {
        return first;
      }
    }
  }

  /**
   * Reads one page of a list.
   *
   * @param path the path of the collection
   * @param query query parameters, with limit and continue
   * @param item receives each object; called while the response is being read
   * @throws ApiStatusException when the request fails
   */
  public ListMetadata page(String path, Map<String, String> query, Consumer<ReceivedObject> item) {
    return page(request("GET", path, query, null, JSON), item);
  }

  /**
   * Opens a watch.
   *
   * @param path the path of the collection
   * @param query query parameters without {@code watch}
   * @param accept the representations to accept, see {@link ResourceType#acceptWatch}
   * @throws ApiStatusException when the request fails
   */
  public WatchStream watch(String path, Map<String, String> query, String accept) {
    CallExecutor.refuseEventLoop();
    Map<String, String> all = new HashMap<>(query);
    all.put("watch", "true");
    Request request = accepting(request("GET", path, all, null, JSON), accept);
    Call call = clients.watches().newCall(request);
    Response response = executor.execute(call);
    if (!response.isSuccessful()) {
      try (response) {
        throw ResponseReader.failure(request, response);
      }
    }
    return new WatchStream(call, response, options.idleTimeout());
  }

  private static Request accepting(Request request, String accept) {
    return request.newBuilder().header("Accept", accept).build();
  }

  private Request request(
      String method,
      String path,
      Map<String, String> query,
      @Nullable JsonElement body,
      String contentType) {
    Request get =
        server.get(path, query, Map.of("Accept", JSON, "User-Agent", options.userAgent()));
    Request.Builder tagged = get.newBuilder().tag(KubernetesOptions.class, options);
    if (method.equals("GET")) {
      return tagged.build();
    }
    return tagged
        .method(method, body == null ? OneShotBody.nothing() : OneShotBody.of(body, contentType))
        .build();
  }

  private JsonObject exchange(OkHttpClient with, Request request, Duration limit) {
    CallExecutor.refuseEventLoop();
    Call call = with.newCall(request);
    call.timeout().timeout(limit.toNanos(), TimeUnit.NANOSECONDS);
    try (Response response = executor.execute(call)) {
      if (!response.isSuccessful()) {
        throw ResponseReader.failure(request, response);
      }
      warnings.take(
          request.method() + " " + request.url().encodedPath(), response.headers("Warning"));
      return ResponseReader.object(response);
    } catch (IOException | JsonParseException e) {
      // Also when it was truncated, or is not JSON.
      throw ResponseReader.none(request, e);
    }
  }

  private ListMetadata page(Request request, Consumer<ReceivedObject> item) {
    CallExecutor.refuseEventLoop();
    try (Response response = executor.execute(clients.lists().newCall(request))) {
      if (!response.isSuccessful()) {
        throw ResponseReader.failure(request, response);
      }
      PageReader page = new PageReader(response.body().byteStream());
      page.read(item);
      return new ListMetadata(page.resourceVersion(), page.token(), page.remaining());
    } catch (IOException | JsonParseException e) {
      throw ResponseReader.none(request, e);
    }
  }
}
