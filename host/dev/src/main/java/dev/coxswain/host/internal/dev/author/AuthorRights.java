// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.ResourceClasses;
import dev.coxswain.authoring.rbac.ClientCalls;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.callback.CallbackServer;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.spi.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the controllers of an author need in a cluster. They are built once, against an API server in
 * memory that has their custom resources and no objects.
 *
 * <p>Thread rule: immutable.
 *
 * @param controllers the rights of each controller
 * @param webhooks the names of those with webhooks, sorted
 * @param conversions the names of the definitions that have a conversion webhook, sorted
 * @param configs the defaults of each controller that reads its configuration as a record, by name
 */
public record AuthorRights(
    List<ControllerRights> controllers,
    List<String> webhooks,
    List<String> conversions,
    Map<String, Record> configs) {

  /** The API server starts in this process: on a busy machine its event loop is late at first. */
  private static final Map<String, Logging.Level> SLOW_START =
      Map.of("io.vertx.core.impl.BlockedThreadChecker", Logging.Level.ERROR);

  /** Copies the collections. */
  public AuthorRights {
    controllers = List.copyOf(controllers);
    webhooks = List.copyOf(webhooks);
    conversions = List.copyOf(conversions);
    configs = Collections.unmodifiableMap(new TreeMap<>(configs));
  }

  /** Sets up the logging, and returns the configuration that the flags of {@code run} name. */
  public static CoxswainConfiguration configuration(Arguments parsed)
      throws ConfigurationException {
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, SLOW_START),
        LoggingSetup.Target.STDERR);
    String config = parsed.value(RunCommand.CONFIG);
    return ConfigurationLoader.load(
        config == null ? null : Path.of(config), System.getenv(), parsed.all(RunCommand.SET));
  }

  /**
   * Builds each controller.
   *
   * @throws HostException when there is none, or one cannot be built
   */
  public static AuthorRights of(
      AuthorClasses classes, CoxswainConfiguration configuration, StallLimit limit)
      throws IOException, HostException {
    List<ControllerDefinition> definitions = classes.definitions();
    if (definitions.isEmpty()) {
      throw new HostException(
          "no controller is named in META-INF/services/" + ControllerDefinition.class.getName());
    }
    List<ClassModel> models = new ArrayList<>();
    for (Path place : classes.places()) {
      models.addAll(ResourceClasses.models(place));
    }
    List<ControllerRights> rights = new ArrayList<>();
    TreeSet<String> webhooks = new TreeSet<>();
    TreeSet<String> conversions = new TreeSet<>();
    Map<String, Record> configs = new TreeMap<>();
    VertxOptions options = new VertxOptions();
    // No files are served, and a folder for them would stay when the process ends at once.
    options.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    Vertx vertx = Vertx.vertx(options);
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withPatience(limit.length()));
        Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      for (JsonObject type : classes.customResources()) {
        server.apply(CrdYaml.write(type));
      }
      Map<Class<?>, Object> services =
          Map.of(
              Kubernetes.class,
              kubernetes,
              Vertx.class,
              vertx,
              CallbackServer.class,
              new UnusedCallbackServer(),
              MeterRegistry.class,
              new SimpleMeterRegistry(),
              EventRecorder.class,
              kubernetes.eventRecorder("rights", "rights", Clock.system()));
      for (ControllerDefinition definition : definitions) {
        ControllerEnvironment environment =
            new RecordingEnvironment(
                definition.name(),
                configuration
                    .controller(definition.name())
                    .environment(services, " while rights are found", Clock.system()),
                configs);
        rights.add(rights(definition, models, environment));
        if (definition instanceof WebhookDefinition declaring) {
          Webhooks declared = webhooks(definition, declaring, environment);
          if (!declared.admission().isEmpty()) {
            webhooks.add(definition.name());
          }
          declared.conversion().stream()
              .map(ConversionWebhook::definition)
              .forEach(conversions::add);
        }
      }
    } finally {
      vertx.close();
    }
    return new AuthorRights(rights, List.copyOf(webhooks), List.copyOf(conversions), configs);
  }

  private static ControllerRights rights(
      ControllerDefinition definition, List<ClassModel> models, ControllerEnvironment environment)
      throws HostException {
    ClientCalls calls = ClientCalls.from(models, definition.getClass().getName());
    try {
      return ControllerRights.of(definition, calls, environment);
    } catch (Exception | LinkageError e) {
      throw notBuilt(definition, e);
    }
  }

  private static Webhooks webhooks(
      ControllerDefinition definition,
      WebhookDefinition declaring,
      ControllerEnvironment environment)
      throws HostException {
    Webhooks declared = new Webhooks(definition.name());
    try {
      declaring.webhooks(declared, environment);
    } catch (Exception | LinkageError e) {
      throw notBuilt(definition, e);
    }
    return declared;
  }

  /** The definition is of an author: it may throw anything, or need a library that is not here. */
  private static HostException notBuilt(ControllerDefinition definition, Throwable cause) {
    if (cause instanceof IllegalArgumentException
        && String.valueOf(cause.getMessage()).startsWith("config")) {
      return new HostException(
          "controllers.%s.%s".formatted(definition.name(), cause.getMessage()), cause);
    }
    return new HostException(
        "controller \"%s\" cannot be built without a cluster; what it needs may be set with --config or --set: %s"
            .formatted(definition.name(), cause),
        cause);
  }

  /** Keeps the defaults of what a controller reads of its configuration; of two records the last. */
  private record RecordingEnvironment(
      String controller, ControllerEnvironment environment, Map<String, Record> configs)
      implements ControllerEnvironment {

    @Override
    public <T> T get(Class<T> type) {
      return environment.get(type);
    }

    @Override
    public Map<String, Object> config() {
      return environment.config();
    }

    @Override
    public <T extends Record> T config(T defaults) {
      configs.put(controller, defaults);
      return environment.config(defaults);
    }

    @Override
    public Clock clock() {
      return environment.clock();
    }
  }

  /** Serves nothing: controllers that are only built do not start their sources. */
  private static final class UnusedCallbackServer implements CallbackServer {

    @Override
    public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
      return Future.failedFuture("nothing is served while rights are found");
    }

    @Override
    public Future<Void> withdraw(String path, Handler<HttpServerRequest> calls) {
      return Future.succeededFuture();
    }

    @Override
    public int port() {
      return 0;
    }

    @Override
    public String address() {
      return "";
    }

    @Override
    public Optional<Identity> identity() {
      return Optional.empty();
    }
  }
}
