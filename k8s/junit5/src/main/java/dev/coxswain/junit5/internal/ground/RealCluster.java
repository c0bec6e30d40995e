// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.opentest4j.TestAbortedException;

/**
 * One cluster of a test in real time, as its user sees it.
 *
 * <p>Thread rule: the thread of the test; its requests any thread.
 */
final class RealCluster implements TestRun.Cluster {

  private final RealRun run;
  private final String name;
  private final RealGround ground;
  private final OkHttpClient http;
  private final Kubernetes user;

  /** The user's access to all clusters, for the first one. */
  private Kubernetes all;

  /**
   * Creates the access of a user.
   *
   * @param name the name of the cluster; empty for the first one
   */
  RealCluster(RealRun run, String name, RealGround ground) {
    this.run = run;
    this.name = name;
    this.ground = ground;
    ServerAccess access = ground.access();
    this.http =
        access
            .http()
            .newBuilder()
            .addInterceptor(this::call)
            .addInterceptor(ground.requests(run, true))
            .build();
    this.user = Kubernetes.of(access.withHttp(http), KubernetesOptions.DEFAULT.withCluster(name));
    this.all = user;
  }

  /** Adds the access to others. */
  void join(List<RealCluster> others) {
    all = KubernetesRuntime.of(user).withClusters(others.stream().map(one -> one.user).toList());
  }

  private Response call(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    Response response = chain.proceed(request);
    if (!request.method().equals("GET")) {
      run.wrote("user", "", name, response);
    }
    return response;
  }

  /** Returns its name; empty for the first one. */
  String name() {
    return name;
  }

  RealGround ground() {
    return ground;
  }

  ApiTransport transport() {
    return KubernetesRuntime.of(user).transport();
  }

  private <T> T checked(Supplier<T> call) {
    try {
      return call.get();
    } catch (TestAbortedException e) {
      throw run.refuse(e);
    }
  }

  @Override
  public void install(String yaml) {
    checked(() -> {
      ground.install(yaml);
      return run.wrote();
    });
  }

  @Override
  public void apply(String yaml) {
    checked(() -> {
      ground.apply(yaml, http);
      return run.wrote();
    });
    run.requireAllowed();
  }

  @Override
  public Kubernetes client() {
    return all;
  }

  @Override
  public Faults faults() {
    return checked(ground::faults);
  }

  /** Ends the test in this cluster. */
  void close() {
    user.close();
    ground.end();
  }
}
