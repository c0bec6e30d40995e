// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

import java.util.List;

/**
 * What a measured process shall run, in system properties, because a host reads no arguments of ours. Depends on
 * the JDK only. Immutable.
 *
 * @param port where the driver listens, on loopback
 * @param server the address of the API server; only the peers use it, a host has a kubeconfig
 * @param namespace the namespace of the objects
 * @param controllers how many controllers; with more than one, each has the objects of one label
 * @param objects how many objects there are
 */
public record SubjectSettings(
    int port, String server, String namespace, int controllers, int objects) {
  /** The concurrency of every controller. */
  public static final int WORKERS = 4;

  /** The backoff after the first failure, in milliseconds, for every subject. */
  public static final int BACKOFF_MILLIS = 5;

  private static final String PREFIX = "coxswain.bench.whole.";

  /** Returns the settings of this process. */
  public static SubjectSettings read() {
    return new SubjectSettings(
        Integer.getInteger(PREFIX + "port", 0),
        System.getProperty(PREFIX + "server", ""),
        System.getProperty(PREFIX + "namespace", ""),
        Integer.getInteger(PREFIX + "controllers", 1),
        Integer.getInteger(PREFIX + "objects", 0));
  }

  /** Returns the same with the port of a driver. */
  public SubjectSettings at(int driver) {
    return new SubjectSettings(driver, server, namespace, controllers, objects);
  }

  /** Returns the JVM options that {@link #read} understands. */
  public List<String> options() {
    return List.of(
        "-D" + PREFIX + "port=" + port,
        "-D" + PREFIX + "server=" + server,
        "-D" + PREFIX + "namespace=" + namespace,
        "-D" + PREFIX + "controllers=" + controllers,
        "-D" + PREFIX + "objects=" + objects);
  }

  /** Returns the label selector of a controller; empty when there is one, for all objects. */
  public String selector(int controller) {
    return controllers == 1 ? "" : "part=" + controller;
  }

  /** Returns the name of a controller. */
  public String name(int controller) {
    return "whole-" + controller;
  }
}
