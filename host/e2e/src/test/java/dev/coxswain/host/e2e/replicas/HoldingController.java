// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Attempts that never give their carrier back: of requests with an even number by computing, of
 * those with an odd one by blocking in native code.
 */
public final class HoldingController implements ControllerDefinition {

  static final String NAME = "holding";

  /** What an attempt prints when it begins. */
  static final String BEGUN = "holds a carrier: ";

  private final MethodHandle poll = nativePoll();

  /** Creates the definition; called by the host. */
  public HoldingController() {}

  @SuppressWarnings("restricted") // a call into native code is what this controller is about
  private static MethodHandle nativePoll() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("poll"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(NAME)
        .options(options -> options.withConcurrency(64))
        .watches(
            environment
                .get(Kubernetes.class)
                .kind(V1ConfigMap.class)
                .labels("for=" + NAME)
                .toSource())
        .reconciles((request, _) -> hold(request));
  }

  private Result hold(Request request) {
    System.out.print(BEGUN + request.name() + "\n");
    boolean spins = Integer.parseInt(request.name().substring(NAME.length() + 1)) % 2 == 0;
    while (true) {
      if (!spins) {
        blockInNativeCode();
      }
    }
  }

  private void blockInNativeCode() {
    try {
      int _ = (int) poll.invokeExact(0L, 0L, -1); // no descriptors, no limit
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
