// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;

/**
 * What all informers of a process have received, as read from their responses.
 *
 * <p>Thread rule: any thread.
 */
final class WatchRegistry implements Interceptor {

  private static final List<String> SELECTORS = List.of("labelSelector", "fieldSelector");

  private final String base;
  private final Predicate<String> counts;

  /** By the thread of the informer, which lists and watches one collection. */
  private final Map<Thread, WatchState> watches = new ConcurrentHashMap<>();

  /**
   * Creates a registry without informers.
   *
   * @param address the address of the server, which may end with a path
   * @param counts whether an event in a namespace is one of the test
   */
  WatchRegistry(String address, Predicate<String> counts) {
    this.base = ResourcePath.base(address);
    this.counts = counts;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    if (!Thread.currentThread().getName().startsWith("coxswain-reflect")) {
      return chain.proceed(request);
    }
    HttpUrl url = request.url();
    WatchState state = watches.computeIfAbsent(Thread.currentThread(), _ -> state(url));
    boolean watch = url.queryParameter("watch") != null;
    if (watch ? url.queryParameter("sendInitialEvents") != null : first(url)) {
      state.begin();
    }
    Response response = chain.proceed(request);
    if (response.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      state.absent();
    }
    if (!response.isSuccessful()) {
      return response;
    }
    if (!watch) {
      state.page(
          JsonParser.parseString(response.peekBody(Long.MAX_VALUE).string()).getAsJsonObject());
      return response;
    }
    ResponseBody body = response.body();
    return response
        .newBuilder()
        .body(
            ResponseBody.create(
                Okio.buffer(new Lines(body.source(), state)),
                body.contentType(),
                body.contentLength()))
        .build();
  }

  private static boolean first(HttpUrl url) {
    return url.queryParameter("continue") == null;
  }

  private WatchState state(HttpUrl url) {
    Map<String, String> query = new HashMap<>();
    for (String name : SELECTORS) {
      String value = url.queryParameter(name);
      if (value != null) {
        query.put(name, value);
      }
    }
    return new WatchState(url.encodedPath().substring(base.length()), query, counts);
  }

  /** The events of a watch, on their way to its reader. */
  private static final class Lines extends ForwardingSource {
    private final WatchState state;
    private final Buffer copy = new Buffer();

    Lines(Source from, WatchState state) {
      super(from);
      this.state = state;
    }

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
      long before = sink.size();
      long count = super.read(sink, byteCount);
      if (count > 0) {
        sink.copyTo(copy, before, count);
        for (long end = copy.indexOf((byte) '\n'); end >= 0; end = copy.indexOf((byte) '\n')) {
          String line = copy.readUtf8(end + 1);
          if (!line.isBlank()) {
            state.event(line);
          }
        }
      }
      return count;
    }
  }

  /** Returns how many events of the test its informers have received. */
  long events() {
    return watches.values().stream().mapToLong(WatchState::events).sum();
  }

  /**
   * Reads all collections and returns what one of the informers has not received of them; empty when
   * they have everything.
   *
   * @throws ApiStatusException when one cannot be read
   */
  Optional<String> behind(ApiTransport transport) {
    watches.keySet().removeIf(informer -> !informer.isAlive());
    for (WatchState state : watches.values()) {
      try {
        JsonObject list = transport.get(state.path(), state.query());
        Optional<String> behind = state.behind(list);
        if (behind.isPresent()) {
          return behind;
        }
      } catch (ApiStatusException e) {
        if (!e.isNotFound()) {
          throw e;
        }
      }
    }
    return Optional.empty();
  }
}
