// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.reconcile.Result;
import org.jspecify.annotations.Nullable;

/** The next version of {@link OrderController}: an order has a price. */
public final class PricedOrderController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public PricedOrderController() {}

  @Override
  public String name() {
    return "orders";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(name())
        .watches(environment.get(Kubernetes.class).kind(Order.class).toSource())
        .reconciles((request, context) -> Result.done());
  }

  /** An order with a price. */
  @KubernetesResource(group = "shop.example.com", version = "v1", plural = "orders")
  public static final class Order extends CustomObject {
    private @Nullable Spec spec;
    private @Nullable Status status;

    /** What is ordered. */
    public record Spec(@Nullable Long price) {}

    /** As in the version before: what a class does not have is dropped by the API server. */
    public record Status(@Nullable Long generation, @Nullable String replica) {}

    /** Returns the status, or null. */
    public @Nullable Status status() {
      return status;
    }

    /** Returns what is ordered, or null. */
    public @Nullable Spec spec() {
      return spec;
    }
  }
}
