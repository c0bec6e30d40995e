// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.controllers.Definitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plug-in whose definitions have been created.
 *
 * <p>Thread rule: immutable; {@link #load} and {@link #close} call code of the plug-in, which may
 * block.
 *
 * @param contents its jars
 * @param definitions its enabled controllers by name
 * @param found what the service loader found, to be closed
 */
record LoadedPlugin(
    PluginContents contents,
    Map<String, ControllerDefinition> definitions,
    List<ControllerDefinition> found) {

  private static final Logger LOG = LoggerFactory.getLogger(LoadedPlugin.class);

  /** The limit of controllers of a plug-in. */
  static final int MAX_CONTROLLERS = 100;

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  /**
   * Loads the definitions of a plug-in.
   *
   * @param enabled whether the configuration enables a controller
   * @param host the class loader of the host
   * @throws PluginException when it has none, or one of them fails in any way
   */
  static LoadedPlugin load(
      String name, PluginContents contents, Predicate<String> enabled, ClassLoader host)
      throws PluginException {
    List<ControllerDefinition> found = new ArrayList<>();
    try {
      return load(new PluginClassLoader(name, contents, host), contents, enabled, found);
    } catch (PluginException e) {
      closeAll(name, found);
      throw e;
    } catch (Throwable e) {
      // Code of the plug-in may throw anything, such as a LinkageError or a StackOverflowError.
      closeAll(name, found);
      throw new PluginException(PluginErrors.text(e), e);
    }
  }

  private static LoadedPlugin load(
      PluginClassLoader loader,
      PluginContents contents,
      Predicate<String> enabled,
      List<ControllerDefinition> found)
      throws PluginException {
    Map<String, ControllerDefinition> definitions = new LinkedHashMap<>();
    int disabled = 0;
    for (ControllerDefinition definition : ServiceLoader.load(ControllerDefinition.class, loader)) {
      if (found.size() >= MAX_CONTROLLERS) {
        throw tooMany();
      }
      found.add(definition);
      for (ControllerDefinition each : Definitions.yielded(definition)) {
        String name = each.name();
        if (name == null || !NAME.matcher(name).matches()) {
          throw new PluginException(
              "%s has the name \"%s\": use a-z, 0-9 and '-', at most 63"
                  .formatted(each.getClass().getName(), name));
        }
        if (!enabled.test(name)) {
          disabled++;
        } else if (definitions.putIfAbsent(name, each) != null) {
          throw new PluginException(
              "two of its controllers have the name \"" + name + "\"; rename one");
        }
        if (definitions.size() > MAX_CONTROLLERS) {
          throw tooMany();
        }
      }
    }
    if (definitions.isEmpty()) {
      throw new PluginException(
          disabled > 0
              ? "the configuration enables none of its controllers"
              : "no controller found: META-INF/services/"
                  + ControllerDefinition.class.getName()
                  + " is missing, or names no class");
    }
    return new LoadedPlugin(contents, Map.copyOf(definitions), List.copyOf(found));
  }

  private static PluginException tooMany() {
    return new PluginException("it has more than " + MAX_CONTROLLERS + " controllers");
  }

  /** Closes the definitions that can be closed, and gives its memory back; a failure is only logged. */
  void close(String name) {
    closeAll(name, found);
    contents.release();
  }

  private static void closeAll(String name, List<ControllerDefinition> found) {
    for (ControllerDefinition definition : found) {
      if (definition instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (Throwable e) {
          LOG.atWarn()
              .addKeyValue("plugin", name)
              .addKeyValue("error", PluginErrors.text(e))
              .log("definition of a plug-in could not be closed");
        }
      }
    }
  }
}
