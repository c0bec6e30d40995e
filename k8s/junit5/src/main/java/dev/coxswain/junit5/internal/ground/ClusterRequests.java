// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Set;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.opentest4j.TestAbortedException;

/**
 * Checks the requests of one client to a cluster: writes reach what the test has made, and nothing
 * else. What they make is noted.
 *
 * <p>Thread rule: any thread.
 */
final class ClusterRequests implements Interceptor {

  /** Questions, which store nothing. */
  private static final Set<String> REVIEWS =
      Set.of("authentication.k8s.io", "authorization.k8s.io");

  private final RealRun run;
  private final ClusterGround ground;
  private final boolean ofUser;
  private final String base;

  ClusterRequests(RealRun run, ClusterGround ground, boolean ofUser) {
    this.run = run;
    this.ground = ground;
    this.ofUser = ofUser;
    this.base = ResourcePath.base(ground.access().address());
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    ResourcePath path =
        ResourcePath.of(request.url().encodedPath().substring(base.length())).orElse(null);
    if (path == null
        || request.method().equals("GET")
        || REVIEWS.contains(path.group())
        || request.url().queryParameter("dryRun") != null) {
      return chain.proceed(request);
    }
    try {
      check(request, path);
    } catch (RuntimeException e) {
      run.refuse(e);
      throw new IOException(e.getMessage(), e);
    }
    Response response = chain.proceed(request);
    if (response.code() == HttpURLConnection.HTTP_CREATED) {
      note(path, response);
    }
    return response;
  }

  private void check(Request request, ResourcePath path) {
    if (!path.namespace().isEmpty()) {
      ground.namespaces().check(path.namespace());
      return;
    }
    String object = path.collection() + "/" + path.name();
    boolean create = request.method().equals("POST") && path.name().isEmpty();
    if (create
        || ground.objects().contains(object)
        || (path.resource().equals("namespaces") && ground.owns(path.name()))) {
      return;
    }
    ApiTransport transport = ground.transport();
    if (path.name().isEmpty() || ClusterResources.get(transport, object).isPresent()) {
      throw new TestAbortedException(
          "%s of %s, which was in the cluster before: a test changes only what it has made"
              .formatted(request.method(), path.text(path.name())));
    }
  }

  private void note(ResourcePath path, Response response) throws IOException {
    JsonElement body = JsonParser.parseString(response.peekBody(Long.MAX_VALUE).string());
    JsonElement metadata = body instanceof JsonObject object ? object.get("metadata") : null;
    String name = Json.text(metadata, "name");
    String uid = Json.text(metadata, "uid");
    boolean subresource = !path.name().isEmpty() && !path.name().equals(name);
    if (uid.isEmpty() || subresource) {
      return;
    }
    if (path.namespace().isEmpty() && path.resource().equals("namespaces")) {
      ground.namespaces().made(name, uid);
    } else {
      ground.objects().add(path.collection() + "/" + name, uid, ofUser);
    }
  }
}
