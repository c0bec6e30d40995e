// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.admin.spi.PluginDirectory.Plugin;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.PluginJars;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A plug-in that is redeployed again and again while its objects change, some attempts fail and
 * others are running. {@code -Dcoxswain.redeploys=24} is the long form.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Isolated
class PluginRedeployTest {

  private static final int REDEPLOYS = Integer.getInteger("coxswain.redeploys", 6);
  private static final int OBJECTS = 40;
  private static final int CHANGES_BETWEEN = 60;

  /** Threads of plug-ins and of their informers in a dump of all threads. */
  private static final Pattern THREAD =
      Pattern.compile("#\\d+ \"((?:reconcile-|coxswain-|plugin-|create-)[^\"]*)\"");

  private static final Pattern OWN_CAUSE = Pattern.compile("tag\\(cause=[0-9a-f]{12}\\)");

  /** A controller of a class of its own, which copies one entry of an object to another. */
  private static final String DEFINITION =
      """
      import dev.coxswain.controller.*;
      import dev.coxswain.host.internal.plugins.PluginProbe;
      import dev.coxswain.k8s.Kubernetes;
      import dev.coxswain.reconcile.Result;
      import java.util.List;

      public class Copier implements ControllerDefinition, AutoCloseable {
        static final String BUILD = "NUMBER";
        private final java.util.Set<String> failed = java.util.concurrent.ConcurrentHashMap.newKeySet();
        private final ThreadLocal<Copier> local = new ThreadLocal<>();

        public Copier() { PluginProbe.of("redeploy").loaded(this); local.set(this); }
        public String name() { return "copier"; }
        public Controller<?> create(ControllerEnvironment environment) { throw new AssertionError(); }
        public List<ControllerDefinition> definitions() {
          return List.of(new Part("copier", this), new Part("copier-two", this));
        }
        public void close() { PluginProbe.of("redeploy").closed.incrementAndGet(); }

        public record Part(String name, Copier of) implements ControllerDefinition {
          public Controller<?> create(ControllerEnvironment environment) {
            Kubernetes k8s = environment.get(Kubernetes.class);
            var notes = k8s.resource(Note.class);
            var meters = environment.get(io.micrometer.core.instrument.MeterRegistry.class);
            io.micrometer.core.instrument.Gauge.builder("copier.failed", of, one -> one.failed.size())
                .strongReference(true).register(meters);
            meters.counter("copier.built").increment();
            var builder = Controller.named(name);
            var registry = builder.sourceRegistry();
            return builder
                .options(options -> options.withConcurrency(4))
                .watches(k8s.kind(Note.class).labels("part=" + name)
                    .readYourWrites(k8s.ownWrites()).toSource())
                .reconciles((request, context) -> {
                  PluginProbe.of("redeploy").begin(name + request);
                  registry.add("tokens", () -> k8s.kind(Token.class)
                      .handledBy((event, requests) -> of.failed.clear()).toSource());
                  try {
                    Note note = notes.get(request).orElse(null);
                    if (note == null) { return Result.done(); }
                    String want = note.data.get("want");
                    if (want.hashCode() % 5 == 0 && of.failed.add(request + want)) {
                      throw new OwnFailure("not yet");
                    }
                    if (!want.equals(note.data.get("got"))) {
                      note.data.put("got", want);
                      notes.update(note);
                    }
                    return Result.done();
                  } finally {
                    PluginProbe.of("redeploy").end(name + request);
                  }
                });
          }
        }

        public static class OwnFailure extends RuntimeException {
          private final Class<?> by = Copier.class;
          public OwnFailure(String text) { super(text); }
        }
      }
      """;

  private static final String NOTE =
      """
      @dev.coxswain.k8s.resource.KubernetesResource(
          group = "", version = "v1", plural = "configmaps", kind = "ConfigMap")
      public class Note implements io.kubernetes.client.common.KubernetesObject {
        public String apiVersion;
        public String kind;
        public io.kubernetes.client.openapi.models.V1ObjectMeta metadata;
        public java.util.Map<String, String> data = new java.util.HashMap<>();
        public String getApiVersion() { return apiVersion; }
        public String getKind() { return kind; }
        public io.kubernetes.client.openapi.models.V1ObjectMeta getMetadata() { return metadata; }
      }
      """;

  /** A kind of which the controllers add a source while they run. */
  private static final String TOKEN =
      NOTE.replace("Note", "Token").replace("configmaps", "secrets").replace("ConfigMap", "Secret");

  @TempDir private Path work;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = user.resource(V1ConfigMap.class);
  private PluginProbe probe;
  private PluginHost host;
  private int changes;

  @BeforeEach
  void open() {
    probe = PluginProbe.reset("redeploy");
    host = new PluginHost(kubernetes, work.resolve("plugins"));
  }

  @AfterEach
  void close() {
    host.close();
    user.close();
    server.close();
  }

  @Test
  void redeploysUnderLoad_leaveNoClassLoaderThreadOrWatch_andLoseNoItem() throws Exception {
    for (int i = 0; i < OBJECTS; i++) {
      maps.create(
          new V1ConfigMap()
              .metadata(
                  new V1ObjectMeta()
                      .namespace("default")
                      .name("note" + i)
                      .putLabelsItem("part", i % 2 == 0 ? "copier" : "copier-two"))
              .putDataItem("want", "0"));
    }
    PluginJars jars = new PluginJars(work);
    Path jar = work.resolve("plugins/copier.jar");
    jars.write(jar, entries(jars, 0));
    PluginHost.await(() -> host.plugin("copier").phase() == Phase.RUNNING);
    PluginHost.await(this::isSettled);
    PluginHost.await(this::hasAddedSources);
    List<String> threads = threads();
    int watches = kubernetes.caches().size();
    assertThat(watches).as("the notes of each, and the tokens").isEqualTo(3);
    List<String> meters = fromTheStart(meters(host));

    for (int i = 1; i <= REDEPLOYS; i++) {
      int build = i;
      change(CHANGES_BETWEEN / 2);
      if (i % 2 == 0) { // by its file, or by the API
        jars.write(jar, entries(jars, build));
      } else {
        host.act("copier", Action.REDEPLOY);
      }
      PluginHost.await(() -> {
        change(1);
        Plugin now = host.plugin("copier");
        assertThat(now.phase()).as(now.toString()).isNotEqualTo(Phase.FAILED);
        return now.deployments() == build + 1 && now.phase() == Phase.RUNNING;
      });
      change(CHANGES_BETWEEN / 2);
    }

    PluginHost.await(this::isSettled);
    PluginHost.await(this::hasAddedSources);
    assertThat(probe.loaders()).isEqualTo(REDEPLOYS + 1);
    assertThat(probe.closed).hasValue(REDEPLOYS);
    assertThat(probe.overlaps).as("attempts of one request at once").hasValue(0);
    assertThat(kubernetes.caches()).hasSize(watches);
    assertThat(fromTheStart(meters(host))).isEqualTo(meters);
    PluginHost.await(() -> threads().equals(threads));
    probe.awaitAlive(1);

    host.act("copier", Action.STOP);
    PluginHost.await(() -> host.plugin("copier").phase() == Phase.STOPPED);
    probe.awaitAlive(0);
    assertThat(meters(host)).isEmpty();
    assertThat(kubernetes.caches()).isEmpty();
    System.out.printf(
        "redeploys %d, attempts %d, changes %d%n", REDEPLOYS, probe.attempts.get(), changes);
  }

  private static Map<String, byte[]> entries(PluginJars jars, int build) {
    return jars.plugin(
        List.of("Copier"), DEFINITION.replace("NUMBER", String.valueOf(build)), NOTE, TOKEN);
  }

  /** Returns whether both controllers have synced the source that they add. */
  private boolean hasAddedSources() {
    return host.manager().controllers().stream()
            .flatMap(one -> one.status().sources().stream())
            .filter(source -> "tokens".equals(source.addedAs()) && source.synced())
            .count()
        == 2;
  }

  /** Returns the meters of all controllers. */
  private static List<String> meters(PluginHost host) {
    return host.metrics().registry().getMeters().stream()
        .map(meter -> meter.getId().toString())
        .filter(id -> id.contains("copier"))
        .sorted()
        .toList();
  }

  /** Without those of single causes, which are there once something has failed of them. */
  private static List<String> fromTheStart(List<String> meters) {
    return meters.stream().filter(id -> !OWN_CAUSE.matcher(id).find()).toList();
  }

  private void change(int times) {
    for (int i = 0; i < times; i++) {
      changes++;
      String want = String.valueOf(changes);
      Request key = Request.of("default", "note" + changes % OBJECTS);
      maps.modify(key, map -> map.putDataItem("want", want));
    }
  }

  private boolean isSettled() {
    for (int i = 0; i < OBJECTS; i++) {
      Map<String, String> data =
          maps.get(Request.of("default", "note" + i)).orElseThrow().getData();
      if (data == null || !Objects.equals(data.get("want"), data.get("got"))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the names of the threads that belong to plug-ins or informers. */
  private List<String> threads() {
    try {
      Path dump = work.resolve("threads.txt");
      Files.deleteIfExists(dump);
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
      List<String> names = new ArrayList<>();
      Matcher found = THREAD.matcher(Files.readString(dump));
      while (found.find()) {
        names.add(found.group(1));
      }
      names.sort(null);
      return names;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
