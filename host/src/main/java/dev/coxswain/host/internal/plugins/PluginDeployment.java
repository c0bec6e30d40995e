// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.webhooks.PluginWebhooks;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps that deploy, replace and stop a plug-in. New files are loaded first; only when that was
 * successful the controllers of the old ones are stopped, so that files that cannot be loaded stop
 * nothing.
 *
 * <p>Thread rule: on the thread of the plug-in's task; the steps block.
 */
final class PluginDeployment {

  private static final Logger LOG = LoggerFactory.getLogger(PluginDeployment.class);

  private final ControllerManager manager;
  private final ControllerNames names;
  private final PluginMemory memory;
  private final PluginWebhooks webhooks;
  private final Predicate<String> enabled;
  private final ClassLoader host = ControllerDefinition.class.getClassLoader();

  /**
   * Creates the steps.
   *
   * @param memory the memory of the contents of all plug-ins
   * @param webhooks serves the webhooks of plug-ins
   * @param enabled whether the configuration enables a controller
   */
  PluginDeployment(
      ControllerManager manager,
      ControllerNames names,
      PluginMemory memory,
      PluginWebhooks webhooks,
      Predicate<String> enabled) {
    this.manager = manager;
    this.names = names;
    this.memory = memory;
    this.webhooks = webhooks;
    this.enabled = enabled;
  }

  /**
   * Deploys files, in place of those that run.
   *
   * @param always whether also files whose contents run already are deployed
   */
  void deploy(ManagedPlugin plugin, PluginFiles files, boolean always) {
    String name = plugin.name();
    LoadedPlugin running = plugin.loaded();
    plugin.tried(files);
    if (running == null) {
      plugin.enter(Phase.LOADING);
    }
    PluginContents contents;
    try {
      contents = PluginContents.read(files, memory);
    } catch (PluginException e) {
      long free = memory.free();
      rejected(
          plugin,
          PluginErrors.text(e),
          e.isNoRoom() ? () -> memory.free() > free : ManagedPlugin.NEVER);
      return;
    }
    if (running != null && !always && contents.digest().equals(running.contents().digest())) {
      contents.release();
      plugin.unchanged();
      return;
    }
    LoadedPlugin next;
    try {
      next = LoadedPlugin.load(name, contents, enabled, host);
    } catch (PluginException e) {
      contents.release();
      rejected(plugin, PluginErrors.text(e), ManagedPlugin.NEVER);
      return;
    }
    Map<String, Webhooks> declared;
    long version = webhooks.version();
    try {
      declared = webhooks.declared(next.definitions().values());
    } catch (Throwable e) { // code of the plug-in
      next.close(name);
      rejected(plugin, PluginErrors.text(e), ManagedPlugin.NEVER);
      return;
    }
    String served = webhooks.clash(name, declared);
    if (!served.isEmpty()) {
      next.close(name);
      rejected(plugin, served, () -> webhooks.version() != version);
      return;
    }
    Set<String> wanted = next.definitions().keySet();
    String clash = names.reserve(name, wanted);
    if (!clash.isEmpty()) {
      next.close(name);
      rejected(plugin, clash, () -> names.isFree(name, wanted));
    } else if (unload(plugin, wanted, declared)) {
      start(plugin, next, declared);
    } else {
      next.close(name);
    }
  }

  /**
   * Notes why files are not deployed.
   *
   * @param until whether the cause has gone
   */
  static void rejected(ManagedPlugin plugin, String error, BooleanSupplier until) {
    plugin.rejected(error, until);
    LOG.atError()
        .addKeyValue("plugin", plugin.name())
        .addKeyValue("error", error)
        .log("plug-in not deployed");
  }

  private void start(ManagedPlugin plugin, LoadedPlugin next, Map<String, Webhooks> declared) {
    plugin.enter(Phase.LOADING);
    List<Future<Void>> starts = new ArrayList<>();
    plugin.loading(next); // so that also a part of it can be stopped
    try {
      webhooks.serve(plugin.name(), declared).await(); // before objects are reconciled
    } catch (Throwable e) { // the cause of a future may be an Error
      withdraw(plugin);
      plugin.unloaded();
      next.close(plugin.name());
      names.retain(plugin.name(), Set.of());
      rejected(
          plugin, "its webhooks cannot be served: " + PluginErrors.text(e), ManagedPlugin.NEVER);
      return;
    }
    next.definitions().forEach((name, definition) -> starts.add(manager.add(name, definition)));
    try {
      Future.join(starts).await();
    } catch (Throwable e) { // the cause of a future may be an Error
      LOG.atError()
          .addKeyValue("plugin", plugin.name())
          .addKeyValue("error", PluginErrors.text(e))
          .log("controllers of a plug-in not started");
      plugin.failed(PluginErrors.text(e));
      return;
    }
    plugin.running(next);
    LOG.atInfo()
        .addKeyValue("plugin", plugin.name())
        .addKeyValue("controllers", plugin.status().controllers())
        .addKeyValue("digest", next.contents().digest())
        .log("plug-in deployed");
  }

  /** Stops the controllers of a plug-in and unloads it, until it is deployed again. */
  void stop(ManagedPlugin plugin) {
    if (unload(plugin)) {
      plugin.enter(Phase.STOPPED);
      LOG.atInfo().addKeyValue("plugin", plugin.name()).log("plug-in stopped");
    }
  }

  /** Stops the controllers of a plug-in, withdraws its webhooks and unloads it, for good. */
  boolean unload(ManagedPlugin plugin) {
    return unload(plugin, Set.of(), Map.of());
  }

  /**
   * Stops the controllers of a plug-in and unloads it.
   *
   * @param kept the names of controllers that it keeps, for its next deployment
   * @param next the webhooks of its next deployment, which are called at once
   * @return whether nothing of it runs any more; otherwise the plug-in has failed with the reason
   */
  private boolean unload(ManagedPlugin plugin, Set<String> kept, Map<String, Webhooks> next) {
    String name = plugin.name();
    LoadedPlugin running = plugin.loaded();
    if (running == null) {
      names.retain(name, kept);
      return true;
    }
    plugin.enter(Phase.STOPPING);
    Map<String, ControllerDefinition> definitions = running.definitions();
    List<Future<Integer>> stops = new ArrayList<>();
    definitions.keySet().forEach(one -> stops.add(manager.remove(one)));
    int abandoned;
    try {
      abandoned =
          Future.join(stops).await().<Integer>list().stream().mapToInt(Integer::intValue).sum();
    } catch (Throwable e) { // the cause of a future may be an Error
      return refused(plugin, PluginErrors.text(e) + "; deploy or stop it again later");
    }
    boolean clean = abandoned == 0;
    if (!clean) {
      refused(
          plugin,
          ("%d attempts did not end when they were cancelled, and may still run. It was stopped and"
                  + " is not replaced by itself, since a request would be reconciled twice at once:"
                  + " deploy it when they have ended")
              .formatted(abandoned));
    }
    // Before what the former ones use is closed. The configurations of a failed plug-in stay, so
    // that writes are refused rather than stored unseen.
    webhooks.replace(name, clean ? next : Map.of(), clean);
    running.close(name);
    plugin.unloaded();
    names.retain(name, kept);
    return clean;
  }

  /** Calls the webhooks of a plug-in no more; their configurations stay, as when a host stops. */
  void withdraw(ManagedPlugin plugin) {
    webhooks.replace(plugin.name(), Map.of(), false);
  }

  private static boolean refused(ManagedPlugin plugin, String error) {
    plugin.failed(error);
    LOG.atError()
        .addKeyValue("plugin", plugin.name())
        .addKeyValue("error", error)
        .log("plug-in did not stop cleanly");
    return false;
  }

  /** Returns why controllers do not run, or do not receive their objects, by the name of each. */
  Map<String, String> problems() {
    Map<String, String> problems = new HashMap<>();
    Snapshot now = manager.snapshot();
    now.running()
        .forEach(running -> {
          String problem = webhooks.problem(List.of(running.name()));
          if (!problem.isEmpty()) {
            problems.put(running.name(), "its webhooks are not registered: " + problem);
          }
        });
    now.failed().forEach(failed -> problems.put(failed.name(), failed.error()));
    for (ControllerHandle running : now.running()) {
      running.status().sources().stream()
          .map(SourceStatus::problem)
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(problem -> problems.put(running.name(), problem));
    }
    return problems;
  }
}
