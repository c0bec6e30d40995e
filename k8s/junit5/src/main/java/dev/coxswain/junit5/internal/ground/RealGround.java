// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.client.ServerAccess;
import java.util.List;
import java.util.function.UnaryOperator;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;

/**
 * A server that is used over HTTP and in real time.
 *
 * <p>Thread rule: {@link #requests} and {@link #owns} any thread, the rest the thread of the tests.
 */
interface RealGround extends Ground {

  /**
   * Returns the server that a property names.
   *
   * @throws IllegalStateException when a kubeconfig cannot be used
   */
  static RealGround of(String property, UnaryOperator<String> properties) {
    String value = properties.apply(property).strip();
    return value.equals("embedded")
        ? new EmbeddedGround()
        : ClusterGround.of(property, value, properties);
  }

  @Override
  default TestRun begin() {
    beginTest();
    return new RealRun(this);
  }

  /** Begins a test: the one before has ended. */
  void beginTest();

  /**
   * Returns the server of a further cluster, which is closed with this one.
   *
   * @throws org.opentest4j.TestAbortedException when there is none
   */
  RealGround cluster(String name);

  /** Returns what it is, as the end of a sentence: {@code the cluster at https://...}. */
  String describe();

  /** Returns the address and the credentials. */
  ServerAccess access();

  /**
   * Returns what checks and records the requests of one client.
   *
   * @param run the test, which is given what is refused
   * @param ofUser whether it is the client of the user, and not that of the controllers
   */
  Interceptor requests(RealRun run, boolean ofUser);

  /** Applies definitions, which stay until the end of the class. */
  void install(String yaml);

  /**
   * Applies objects.
   *
   * @param http the client of the user
   */
  void apply(String yaml, OkHttpClient http);

  /** Returns the faults of the server. */
  Faults faults();

  /** Serves the webhooks of controllers, before they start. */
  void serve(List<ControllerDefinition> definitions, ControllerEnvironment environment);

  /** Returns whether controllers may act on objects of a namespace; empty for objects without one. */
  boolean owns(String namespace);

  /** Waits until the server has done what follows from writes by itself, as far as that can be seen. */
  void settle();

  /** Removes the objects that the user has made, while controllers run. */
  void removeObjects();

  /** Ends a test: its controllers have stopped. */
  void end();
}
