// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.plugins;

import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.controllers.ControllerManager;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
  private final Predicate<String> enabled;
  private final ClassLoader host = ControllerDefinition.class.getClassLoader();

  /**
   * Creates the steps.
   *
   * @param enabled whether the configuration enables a controller
   */
  PluginDeployment(ControllerManager manager, ControllerNames names, Predicate<String> enabled) {
    this.manager = manager;
    this.names = names;
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
    LoadedPlugin next;
    try {
      if (running == null) {
        plugin.enter(Phase.LOADING);
      }
      PluginContents contents = PluginContents.read(files);
      if (running != null && !always && contents.digest().equals(running.contents().digest())) {
        plugin.unchanged();
        return;
      }
      next = LoadedPlugin.load(name, contents, enabled, host);
    } catch (PluginException e) {
      rejected(plugin, PluginErrors.text(e), Set.of());
      return;
    } catch (OutOfMemoryError e) {
      rejected(plugin, PluginErrors.text(e), Set.of()); // its contents are in memory
      return;
    }
    Set<String> wanted = next.definitions().keySet();
    String clash = names.reserve(name, wanted);
    if (!clash.isEmpty()) {
      next.close(name);
      rejected(plugin, clash, wanted);
    } else if (unload(plugin, wanted)) {
      start(plugin, next);
    } else {
      next.close(name);
    }
  }

  /** Notes why files are not deployed. */
  static void rejected(ManagedPlugin plugin, String error, Set<String> clashing) {
    plugin.rejected(error, clashing);
    LOG.atError()
        .addKeyValue("plugin", plugin.name())
        .addKeyValue("error", error)
        .log("plug-in not deployed");
  }

  private void start(ManagedPlugin plugin, LoadedPlugin next) {
    plugin.enter(Phase.LOADING);
    List<Future<Void>> starts = new ArrayList<>();
    plugin.loading(next); // so that also a part of it can be stopped
    next.definitions().forEach((name, definition) -> starts.add(manager.add(name, definition)));
    try {
      Future.join(starts).await();
    } catch (Exception e) {
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
    if (unload(plugin, Set.of())) {
      plugin.enter(Phase.STOPPED);
      LOG.atInfo().addKeyValue("plugin", plugin.name()).log("plug-in stopped");
    }
  }

  /**
   * Stops the controllers of a plug-in and unloads it.
   *
   * @param kept the names of controllers that it keeps, for its next deployment
   * @return whether nothing of it runs any more; otherwise the plug-in has failed with the reason
   */
  boolean unload(ManagedPlugin plugin, Set<String> kept) {
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
    } catch (Exception e) {
      return refused(plugin, PluginErrors.text(e) + "; deploy or stop it again later");
    }
    running.close(name);
    plugin.unloaded();
    names.retain(name, kept);
    return abandoned == 0
        || refused(
            plugin,
            ("%d attempts did not end when they were cancelled, and may still run. It was stopped and"
                    + " is not replaced by itself, since a request would be reconciled twice at once:"
                    + " deploy it when they have ended")
                .formatted(abandoned));
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

  /** Returns whether the names that a plug-in could not have are free now. */
  boolean isFree(ManagedPlugin plugin) {
    return names.isFree(plugin.name(), plugin.clashing());
  }
}
