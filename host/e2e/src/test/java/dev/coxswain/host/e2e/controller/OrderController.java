// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.controller;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Writes down in the status of an order which generation it has reconciled, and on which replica. */
public final class OrderController implements ControllerDefinition {

  /** The type of the objects, with the name that the guide uses. */
  public static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: orders.shop.example.com}
      spec:
        group: shop.example.com
        scope: Namespaced
        names: {plural: orders, singular: order, kind: Order}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {amount: {type: integer}}}
                status: {type: object, properties: {generation: {type: integer}, replica: {type: string}}}
      """;

  /** The configuration; an hour is longer than a test: a reconciled order stays in the queue, and can be flushed. */
  private record Settings(Duration again) {
    private static final Settings DEFAULTS = new Settings(Duration.ofHours(1));
  }

  /** Creates the definition; called by the host. */
  public OrderController() {}

  @Override
  public String name() {
    return "orders";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    var kubernetes = environment.get(Kubernetes.class);
    var write = kubernetes.resource(Order.class);
    var orders = kubernetes.kind(Order.class).filter(Predicates.generationChanged()).toSource();
    Duration again = environment.config(Settings.DEFAULTS).again();
    String replica = System.getenv("COXSWAIN_REPLICA_NAME");
    return Controller.named(name())
        .watches(orders)
        .reconciles((request, context) -> {
          var found = orders.get(request);
          if (found.isEmpty()) {
            return Result.done();
          }
          Long generation = found.get().getMetadata().getGeneration();
          write.modifyStatus(
              request, order -> order.setStatus(new Order.Status(generation, replica)));
          return Result.requeueAfter(again);
        });
  }

  /** An order; its spec does not matter. */
  @KubernetesResource(group = "shop.example.com", version = "v1", plural = "orders")
  public static final class Order extends CustomObject {
    private @Nullable Status status;

    /** What has been reconciled, and where. */
    public record Status(@Nullable Long generation, @Nullable String replica) {}

    /** Returns the status, or null. */
    public @Nullable Status status() {
      return status;
    }

    /** Sets the status. */
    public void setStatus(@Nullable Status value) {
      status = value;
    }
  }
}
