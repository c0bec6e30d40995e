// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.k8s.Kubernetes;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The client of the user of the clusters of a run, whose writes are in the timeline.
 *
 * <p>Thread rule: the thread of the test, its requests any thread.
 */
final class UserClient implements AutoCloseable {

  private final RunDriver driver;
  private Kubernetes kubernetes;

  UserClient(RunDriver driver) {
    this.driver = driver;
    this.kubernetes = opened();
  }

  private Kubernetes opened() {
    return driver.server().client(cluster -> chain -> call(cluster, chain), true, driver.time());
  }

  /** Opens it again, for the clusters that there are now. */
  void open() {
    kubernetes.close();
    kubernetes = opened();
  }

  Kubernetes kubernetes() {
    return kubernetes;
  }

  private Response call(String cluster, Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    Response response = chain.proceed(request);
    if (!request.method().equals("GET")) {
      driver.serverChanged();
      driver
          .log()
          .add(
              "user",
              "%s %s%s  %d"
                  .formatted(
                      request.method(),
                      request.url().encodedPath(),
                      TestServer.in(cluster),
                      response.code()));
    }
    return response;
  }

  @Override
  public void close() {
    kubernetes.close();
  }
}
