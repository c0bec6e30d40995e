// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import java.util.function.UnaryOperator;

/**
 * The server of a test class and the time in which its controllers run.
 *
 * <p>Thread rule: the thread of the tests.
 */
public interface Ground extends AutoCloseable {

  /** The system property, or configuration parameter of JUnit, that selects the ground. */
  String PROPERTY = "coxswain.cluster";

  /**
   * Returns the ground that {@value #PROPERTY} selects: empty for virtual time, {@code embedded}, {@code
   * kubeconfig} for the one of the user, or a file of that kind; {@code FILE#CONTEXT} is another context
   * than the current one.
   *
   * @param properties returns the value of a property, empty for none; also those of further clusters, such
   *     as {@code coxswain.cluster.eu}
   * @throws IllegalStateException when a kubeconfig cannot be used
   */
  static Ground of(UnaryOperator<String> properties) {
    return properties.apply(PROPERTY).isBlank()
        ? new VirtualGround()
        : RealGround.of(PROPERTY, properties);
  }

  /** Begins the run of one test; the one before has ended. */
  TestRun begin();

  /** Removes what is left of all tests. */
  @Override
  void close();
}
