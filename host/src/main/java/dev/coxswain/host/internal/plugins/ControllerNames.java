// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The names of controllers by the plug-in that has them. A name belongs to one plug-in, or to the
 * class path.
 *
 * <p>Thread rule: any thread.
 */
final class ControllerNames {

  private final Set<String> ofClassPath;
  private final Map<String, String> owners = new HashMap<>();

  ControllerNames(Set<String> ofClassPath) {
    this.ofClassPath = Set.copyOf(ofClassPath);
  }

  /**
   * Gives names to a plug-in, in addition to those that it has.
   *
   * @return what has one of them already; empty when nothing has, and then they are given
   */
  synchronized String reserve(String plugin, Collection<String> names) {
    for (String name : new TreeSet<>(names)) {
      if (ofClassPath.contains(name)) {
        return "controller \"%s\" is on the class path of the host, too; remove one of them, or rename one"
            .formatted(name);
      }
      String owner = owners.getOrDefault(name, plugin);
      if (!owner.equals(plugin)) {
        return "controller \"%s\" is in plug-in \"%s\", too; remove one of them, or rename one"
            .formatted(name, owner);
      }
    }
    names.forEach(name -> owners.put(name, plugin));
    return "";
  }

  /** Returns whether a plug-in could have these names. */
  synchronized boolean isFree(String plugin, Collection<String> names) {
    return names.stream()
        .allMatch(name ->
            !ofClassPath.contains(name) && owners.getOrDefault(name, plugin).equals(plugin));
  }

  /** Takes all names of a plug-in from it, except these. */
  synchronized void retain(String plugin, Collection<String> names) {
    owners
        .entrySet()
        .removeIf(entry -> entry.getValue().equals(plugin) && !names.contains(entry.getKey()));
  }
}
