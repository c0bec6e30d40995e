// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

/**
 * The server of a test class and the time in which its controllers run.
 *
 * <p>Thread rule: the thread of the tests.
 */
public interface Ground extends AutoCloseable {

  /** The system property, or configuration parameter of JUnit, that selects the ground. */
  String PROPERTY = "coxswain.cluster";

  /**
   * Returns the ground of a value of {@value #PROPERTY}.
   *
   * @param value empty for virtual time, {@code embedded}, {@code kubeconfig} for the one of the user,
   *     or a file of that kind; {@code FILE#CONTEXT} is another context than the current one
   * @throws IllegalStateException when a kubeconfig cannot be used
   */
  static Ground of(String value) {
    return switch (value.strip()) {
      case "" -> new VirtualGround();
      case "embedded" -> new EmbeddedGround();
      default -> ClusterGround.of(value.strip());
    };
  }

  /** Begins the run of one test; the one before has ended. */
  TestRun begin();

  /** Removes what is left of all tests. */
  @Override
  void close();
}
