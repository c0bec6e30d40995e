// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.junit5.internal.run.TestServer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the tests of a class a {@link CoxswainTest}: one embedded API server for the class, empty at the
 * start of each test.
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
public final class CoxswainExtension implements ParameterResolver, AfterEachCallback {

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
            CoxswainTest.class, _ -> new CoxswainTest(server(context)), CoxswainTest.class);
  }

  /** Returns the server of the test class, which JUnit closes with the class. */
  private static TestServer server(ExtensionContext context) {
    ExtensionContext ofClass = context;
    while (ofClass.getTestMethod().isPresent()) {
      ofClass = ofClass.getParent().orElseThrow();
    }
    return ofClass
        .getStore(NAMESPACE)
        .computeIfAbsent(TestServer.class, _ -> new TestServer(), TestServer.class);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    CoxswainTest kit = context.getStore(NAMESPACE).remove(CoxswainTest.class, CoxswainTest.class);
    if (kit != null) {
      kit.close();
    }
  }
}
