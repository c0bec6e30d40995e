// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.internal.run.KitWebhooks;
import dev.coxswain.junit5.internal.run.TestServer;
import dev.coxswain.k8s.client.ServerAccess;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * An embedded API server at a loopback port, which controllers use over HTTP and in real time.
 *
 * <p>Thread rule: as {@link RealGround}.
 */
final class EmbeddedGround implements RealGround {

  private final TestServer server = new TestServer();
  private final Map<String, EmbeddedGround> others = new TreeMap<>();
  private @Nullable KitWebhooks webhooks;

  @Override
  public void beginTest() {
    server.clear();
    webhooks = new KitWebhooks(server.api());
  }

  @Override
  public RealGround cluster(String name) {
    return others.computeIfAbsent(name, _ -> new EmbeddedGround());
  }

  @Override
  public String describe() {
    return "the embedded server in real time";
  }

  @Override
  public ServerAccess access() {
    return server.access();
  }

  /** Everything there is of the test. */
  @Override
  public Interceptor requests(RealRun run, boolean ofUser) {
    return chain -> chain.proceed(chain.request());
  }

  @Override
  public void install(String yaml) {
    server.install(yaml);
  }

  @Override
  public void apply(String yaml, OkHttpClient http) {
    convert();
    server.apply(yaml);
    convert();
  }

  private void convert() {
    KitWebhooks running = webhooks;
    if (running != null) {
      running.convert();
    }
  }

  @Override
  public Faults faults() {
    return server.api().faults();
  }

  @Override
  public void serve(List<ControllerDefinition> definitions, ControllerEnvironment environment) {
    KitWebhooks running = webhooks;
    if (running != null) {
      running.serve(definitions, environment);
    }
  }

  @Override
  public boolean owns(String namespace) {
    return true;
  }

  @Override
  public void settle() {
    convert();
    server.api().state().settle();
  }

  /** They go with all others. */
  @Override
  public void removeObjects() {}

  @Override
  public void end() {
    KitWebhooks running = webhooks;
    webhooks = null;
    if (running != null) {
      running.close();
    }
    server.beginUse();
    server.api().faults().reset();
  }

  @Override
  public void close() {
    others.values().forEach(EmbeddedGround::close);
    server.close();
  }
}
