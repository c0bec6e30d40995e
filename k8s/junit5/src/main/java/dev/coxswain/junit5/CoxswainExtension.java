// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.junit5.internal.ground.Ground;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives the tests of a class a {@link CoxswainTest}: one embedded API server for the class, empty at the
 * start of each test, or a cluster, without the objects of other tests; and further ones as a test
 * {@linkplain CoxswainTest#cluster names them}.
 *
 * {@snippet :
 * @ExtendWith(CoxswainExtension.class)
 * class GreeterTest {
 *   @Test
 *   void aGreeting_isWritten(CoxswainTest kit) {
 *     kit.run(new Greeter());
 *     kit.apply(greeting);
 *     kit.settle();
 *   }
 * }
 * }
 *
 * <p>Thread rule: called by JUnit. The tests of one class must not run at the same time; those of
 * different classes may.
 */
public final class CoxswainExtension
    implements ParameterResolver,
        TestExecutionExceptionHandler,
        AfterTestExecutionCallback,
        AfterEachCallback {

  private static final Namespace NAMESPACE = Namespace.create(CoxswainExtension.class);

  /** Creates the extension; called by JUnit. */
  public CoxswainExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == CoxswainTest.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(NAMESPACE)
        .computeIfAbsent(
            CoxswainTest.class, _ -> new CoxswainTest(ground(context).begin()), CoxswainTest.class);
  }

  /** Returns the ground of the test class, which JUnit closes with the class. */
  private static Ground ground(ExtensionContext context) {
    ExtensionContext ofClass = context;
    while (ofClass.getTestMethod().isPresent()) {
      ofClass = ofClass.getParent().orElseThrow();
    }
    return ofClass
        .getStore(NAMESPACE)
        .computeIfAbsent(
            Ground.class,
            _ -> Ground.of(property -> context.getConfigurationParameter(property).orElse("")),
            Ground.class);
  }

  /** What a test could not do here is its result, whatever it made of it. */
  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    RuntimeException refused = refusal(context).orElse(null);
    if (refused == null || refused.equals(failure)) {
      throw failure;
    }
    refused.addSuppressed(failure);
    throw refused;
  }

  /** As above for a test that has caught it and passed. */
  @Override
  public void afterTestExecution(ExtensionContext context) {
    RuntimeException refused = refusal(context).orElse(null);
    if (refused != null && context.getExecutionException().isEmpty()) {
      throw refused;
    }
  }

  private static Optional<RuntimeException> refusal(ExtensionContext context) {
    CoxswainTest kit = context.getStore(NAMESPACE).get(CoxswainTest.class, CoxswainTest.class);
    return kit == null ? Optional.empty() : kit.refusal();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    CoxswainTest kit = context.getStore(NAMESPACE).remove(CoxswainTest.class, CoxswainTest.class);
    if (kit != null) {
      kit.close();
    }
  }
}
