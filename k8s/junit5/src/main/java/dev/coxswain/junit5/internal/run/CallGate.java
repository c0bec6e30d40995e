// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.apiserver.EmbeddedApiServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;

/**
 * The way of all requests of one process to the API server of a cluster. Watches are gated, the first lists of
 * stale informers are read at an older version, and calls of reconcilers are left to the policy.
 *
 * <p>Thread rule: any thread.
 */
final class CallGate implements Interceptor {

  private static final MediaType JSON = MediaType.get("application/json");

  /** The parameter by which a server selects. */
  private static final String SELECTOR = "shardSelector";

  private final RunDriver driver;
  private final TestReplica replica;
  private final String cluster;
  private final EmbeddedApiServer server;

  /** The version of the first lists; 0 for the newest. */
  private final long listVersion;

  /** The informers that have requested a list. */
  private final Set<Thread> listed = ConcurrentHashMap.newKeySet();

  CallGate(RunDriver driver, TestReplica replica, String cluster, long listVersion) {
    this.driver = driver;
    this.replica = replica;
    this.cluster = cluster;
    this.server = driver.server(cluster);
    this.listVersion = listVersion;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    requireAlive();
    boolean watch = request.url().queryParameter("watch") != null;
    if (Thread.currentThread().getName().startsWith("coxswain-reflect")) {
      return ofInformer(chain, request, watch);
    }
    if (watch) {
      return chain.proceed(request); // of a controller itself, which would wait for itself
    }
    if (!driver.time().isOwner()) {
      return ofOwnThread(request, chain);
    }
    ApiCall call = driver.called(cluster, request);
    long before = call.isWrite() ? server.state().version() : 0;
    try {
      Response response =
          driver
              .policy()
              .call(
                  replica,
                  call,
                  () -> {
                    requireAlive();
                    return chain.proceed(request);
                  });
      driver.answered(replica, call, response, before);
      return response;
    } catch (IOException e) {
      driver.serverChanged(); // perhaps it took effect
      driver.log().add(replica.name(), "  " + call.text() + "  " + e.getMessage());
      throw e;
    }
  }

  private Response ofInformer(Chain chain, Request request, boolean watch) throws IOException {
    long asked = System.nanoTime();
    Response response =
        watch
            ? watch(chain.call(), request, chain.proceed(selected(request)))
            : list(chain, isFirstOfStale() ? older(request) : request);
    if (response.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      replica.refused(Thread.currentThread(), asked);
    }
    return response;
  }

  /**
   * A call by a thread of the controller itself, such as that of an EventRecorder. It comes at any
   * time, so it is neither counted nor perturbed: a second run would have other numbers.
   */
  private Response ofOwnThread(Request request, Chain chain) throws IOException {
    try {
      return chain.proceed(request);
    } finally {
      if (!request.method().equals("GET")) {
        driver.serverChanged();
      }
    }
  }

  private void requireAlive() throws IOException {
    if (replica.isDead()) {
      throw new IOException("the process has crashed");
    }
  }

  private boolean isFirstOfStale() {
    return listVersion > 0 && !listed.contains(Thread.currentThread());
  }

  private Response list(Chain chain, Request request) throws IOException {
    Response response = chain.proceed(request);
    // When the resource was not installed at the older version, the newest list is the only one.
    listed.add(Thread.currentThread());
    if (response.isSuccessful()) {
      replica.listed(Thread.currentThread());
    }
    return response;
  }

  private Response watch(Call call, Request request, Response response) {
    if (!response.isSuccessful()) {
      return response;
    }
    HttpUrl url = request.url();
    String key =
        url.encodedPath()
            + " "
            + text(url, "labelSelector")
            + text(url, "fieldSelector")
            + " "
            + request.header("Accept");
    EventGate gate =
        new EventGate(
            cluster,
            key,
            call,
            response,
            Thread.currentThread(),
            "true".equals(url.queryParameter("sendInitialEvents")));
    replica.opened(gate, Thread.currentThread());
    return response.newBuilder().body(ResponseBody.create(Okio.buffer(gate), JSON, -1)).build();
  }

  /** Returns a watch with the selector that the server is to receive. */
  private Request selected(Request watch) {
    String asked = text(watch.url(), SELECTOR);
    String sent = asked.isEmpty() ? asked : driver.policy().selector(asked);
    if (sent.equals(asked)) {
      return watch;
    }
    HttpUrl.Builder url = watch.url().newBuilder().removeAllQueryParameters(SELECTOR);
    if (!sent.isEmpty()) {
      url.addQueryParameter(SELECTOR, sent);
    }
    return watch.newBuilder().url(url.build()).build();
  }

  private static String text(HttpUrl url, String name) {
    String value = url.queryParameter(name);
    return value == null ? "" : value;
  }

  private Request older(Request list) {
    HttpUrl url =
        list.url()
            .newBuilder()
            .setQueryParameter("resourceVersion", Long.toString(listVersion))
            .setQueryParameter("resourceVersionMatch", "Exact")
            .build();
    return list.newBuilder().url(url).build();
  }
}
