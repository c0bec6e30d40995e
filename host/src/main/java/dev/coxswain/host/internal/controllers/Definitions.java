// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.internal.loop.ClassNames;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the controllers of the class path.
 *
 * <p>Thread rule: stateless; may load classes, so not on an event loop.
 */
public final class Definitions {

  private static final Logger LOG = LoggerFactory.getLogger(Definitions.class);

  /** The limit of reported entries that cannot be loaded. */
  private static final int MAX_BROKEN = 100;

  /** The limit of definitions that one definition yields. */
  static final int MAX_YIELDED = 100;

  private static final String NONE =
      "there are none on the class path; COXSWAIN_CLASSPATH adds jars with controllers";

  private Definitions() {}

  /**
   * Returns the definitions of the class path. A definition that cannot be loaded is logged and
   * left out.
   */
  public static List<ControllerDefinition> onClassPath() {
    Iterator<ControllerDefinition> found =
        ServiceLoader.load(ControllerDefinition.class).iterator();
    List<ControllerDefinition> result = new ArrayList<>();
    int broken = 0;
    while (broken < MAX_BROKEN) {
      try {
        if (!found.hasNext()) {
          break;
        }
        result.addAll(yielded(found.next()));
      } catch (RuntimeException | StackOverflowError e) {
        broken++;
        LOG.atError().setCause(e).log("controller definition yields no controllers");
      } catch (ServiceConfigurationError | LinkageError e) {
        // A LinkageError: the class was compiled against classes that are missing here.
        broken++;
        Throwable cause =
            e instanceof ServiceConfigurationError && e.getCause() != null ? e.getCause() : e;
        LOG.atError()
            .addKeyValue("reason", ClassNames.describe(cause))
            .setCause(e)
            .log("controller definition cannot be loaded");
      }
    }
    return result;
  }

  /**
   * Returns the definitions that one yields.
   *
   * @throws IllegalStateException when there are too many, or null among them
   */
  public static List<ControllerDefinition> yielded(ControllerDefinition found) {
    // Definitions of other projects are compiled without our null checks.
    @Nullable List<ControllerDefinition> all = found.definitions();
    if (all == null || all.size() > MAX_YIELDED || all.stream().anyMatch(Objects::isNull)) {
      throw new IllegalStateException(
          "definitions() of %s returned null, a list with null, or more than %d definitions"
              .formatted(found.getClass().getName(), MAX_YIELDED));
    }
    return List.copyOf(all);
  }

  /**
   * Returns the enabled definitions.
   *
   * @throws HostException when two have the same name
   * @throws ConfigurationException when the configuration has an unknown name
   */
  public static List<ControllerDefinition> enabled(
      List<ControllerDefinition> all, CoxswainConfiguration configuration)
      throws HostException, ConfigurationException {
    Set<String> names = new TreeSet<>();
    for (ControllerDefinition definition : all) {
      if (!names.add(definition.name())) {
        throw new HostException(
            "two controllers have the name \""
                + definition.name()
                + "\"; remove one of their jars, or rename one");
      }
    }
    List<String> unknown = new ArrayList<>();
    for (String name : new TreeSet<>(configuration.controllers().keySet())) {
      if (!names.contains(name)) {
        unknown.add(
            "%s: controllers.%s: unknown controller, %s"
                .formatted(
                    configuration.controller(name).origin(),
                    name,
                    names.isEmpty() ? NONE : Suggestions.of(name, names)));
      }
    }
    // A plug-in may have it, also one that is put into the folder later.
    if (!unknown.isEmpty() && configuration.plugins().directory() == null) {
      throw new ConfigurationException(unknown);
    }
    return all.stream()
        .filter(definition -> configuration.controller(definition.name()).enabled())
        .toList();
  }
}
