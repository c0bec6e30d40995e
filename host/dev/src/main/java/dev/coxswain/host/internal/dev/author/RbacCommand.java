// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import dev.coxswain.authoring.crd.ResourceClasses;
import dev.coxswain.authoring.rbac.ClientCalls;
import dev.coxswain.authoring.rbac.ControllerRights;
import dev.coxswain.authoring.rbac.RoleManifests;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
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
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code coxswain rbac}: the rights that controllers need. They are built once, against an API server
 * in memory that has their custom resources and no objects.
 */
public final class RbacCommand implements AddedCommand {

  private static final Flag NAMESPACE = Flag.of("--namespace", "NAME", "");
  private static final Flag VALUES = Flag.alone("--values", "");
  private static final List<String> ACTIONS = List.of("generate");

  /** The API server starts in this process: on a busy machine its event loop is late at first. */
  private static final Map<String, Logging.Level> SLOW_START =
      Map.of("io.vertx.core.impl.BlockedThreadChecker", Logging.Level.ERROR);

  /** Creates the command; called by the service loader. */
  public RbacCommand() {}

  @Override
  public String name() {
    return "rbac";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    Arguments parsed =
        Arguments.parse(
            arguments,
            List.of(
                AuthorClasses.CLASSES,
                NAMESPACE,
                VALUES,
                RunCommand.CONFIG,
                RunCommand.SET,
                StallLimit.FLAG));
    if (!parsed.words().equals(ACTIONS)) {
      throw new CommandException(
          "rbac needs an action, " + Suggestions.of(String.join(" ", parsed.words()), ACTIONS));
    }
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, SLOW_START),
        LoggingSetup.Target.STDERR);
    String config = parsed.value(RunCommand.CONFIG);
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            config == null ? null : Path.of(config), System.getenv(), parsed.all(RunCommand.SET));
    List<ControllerRights> rights;
    try (AuthorClasses classes = AuthorClasses.of(parsed)) {
      rights = rights(classes, configuration, StallLimit.of(parsed));
    } catch (IOException e) {
      throw new HostException("the classes cannot be read: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
    String namespace = parsed.value(NAMESPACE, "");
    System.out.print(
        parsed.on(VALUES)
            ? RoleManifests.chartValues(rights)
            : namespace.isEmpty()
                ? RoleManifests.clusterRoles(rights)
                : RoleManifests.roles(rights, namespace));
    return CommandLine.OK;
  }

  private static List<ControllerRights> rights(
      AuthorClasses classes, CoxswainConfiguration configuration, StallLimit limit)
      throws IOException, HostException {
    List<ControllerDefinition> definitions = classes.definitions();
    if (definitions.isEmpty()) {
      throw new HostException(
          "no controller is named in META-INF/services/" + ControllerDefinition.class.getName());
    }
    List<ClassModel> models = new ArrayList<>();
    List<Class<? extends KubernetesObject>> types = new ArrayList<>();
    for (Path place : classes.places()) {
      models.addAll(ResourceClasses.models(place));
      types.addAll(ResourceClasses.in(place, classes.loader()));
    }
    List<ControllerRights> rights = new ArrayList<>();
    Vertx vertx = Vertx.vertx();
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withPatience(limit.length()));
        Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      for (JsonObject type : CustomResourceDefinitions.of(types)) {
        server.apply(CrdYaml.write(type));
      }
      Map<Class<?>, Object> services =
          Map.of(
              Kubernetes.class, kubernetes,
              Vertx.class, vertx,
              CallbackServer.class, new UnusedCallbackServer());
      for (ControllerDefinition definition : definitions) {
        rights.add(rights(definition, models, services, configuration));
      }
    } finally {
      vertx.close();
    }
    return rights;
  }

  private static ControllerRights rights(
      ControllerDefinition definition,
      List<ClassModel> models,
      Map<Class<?>, Object> services,
      CoxswainConfiguration configuration)
      throws HostException {
    String name = definition.name();
    ClientCalls calls = ClientCalls.from(models, definition.getClass().getName());
    try {
      return ControllerRights.of(
          definition, calls, services, configuration.controller(name).config());
    } catch (Exception | LinkageError e) {
      // The definition is of an author: it may throw anything, or need a library that is not here.
      throw new HostException(
          "controller \"%s\" cannot be built without a cluster; what it needs may be set with --config or --set: %s"
              .formatted(name, e),
          e);
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
