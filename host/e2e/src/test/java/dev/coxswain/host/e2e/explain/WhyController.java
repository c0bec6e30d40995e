// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.retry.Backoff;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Controllers that bring objects into each situation in which they are not reconciled. */
final class WhyController {

  static final String MAIN = "why-main";
  static final String TOKENS = "why-tokens";
  static final String STUCK = "why-stuck";
  static final String ABSENT = "why-absent";

  /** The namespace in which a webhook denies everything. */
  static final String GUARDED = "why-guarded";

  private WhyController() {}

  /** What happens to an object is in its name. */
  public static final class Main implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Main() {}

    @Override
    public String name() {
      return MAIN;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes kubernetes = environment.get(Kubernetes.class);
      return Controller.named(MAIN)
          .options(options ->
              options
                  .withConcurrency(20)
                  .withReconcileTimeout(Duration.ofMinutes(1))
                  .withBackoff(Backoff.exponential(Duration.ofHours(1), Duration.ofHours(2), 0)))
          .watches(
              kubernetes
                  .kind(V1ConfigMap.class)
                  .inNamespace(MAIN)
                  .labels("app=why")
                  .filter(event -> !event.key().name().startsWith("ignored"))
                  .toSource())
          .reconciles((request, context) -> {
            String name = request.name();
            if (name.startsWith("failing")) {
              throw new IllegalStateException("the disk is full");
            } else if (name.startsWith("terminal")) {
              throw new TerminalException("spec.size must not shrink");
            } else if (name.startsWith("later")) {
              return Result.requeueAfter(Duration.ofHours(1));
            } else if (name.startsWith("denied")) {
              try {
                kubernetes
                    .resource(V1ConfigMap.class)
                    .create(
                        new V1ConfigMap()
                            .metadata(new V1ObjectMeta().namespace(GUARDED).name("child")));
              } catch (ApiStatusException e) {
                if (e.code() / 100 == 4) {
                  throw e;
                }
                // On a busy machine the webhook may miss its 10 s, and a failure waits for an hour.
                return Result.requeueAfter(Duration.ofMillis(200));
              }
            }
            return Result.done();
          });
    }
  }

  /** Fails at once and again, and waits for tokens. */
  public static final class Tokens implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Tokens() {}

    @Override
    public String name() {
      return TOKENS;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(TOKENS)
          .options(options ->
              options.withBackoff(
                  Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(50), 0)))
          .watches(
              environment
                  .get(Kubernetes.class)
                  .kind(V1ConfigMap.class)
                  .inNamespace(TOKENS)
                  .toSource())
          .reconciles((request, context) -> {
            throw new IllegalStateException("what all need is broken");
          });
    }
  }

  /** Its attempts do not end. */
  public static final class Stuck implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Stuck() {}

    @Override
    public String name() {
      return STUCK;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(STUCK)
          .options(
              options -> options.withConcurrency(1).withReconcileTimeout(Duration.ofMillis(200)))
          .watches(
              environment
                  .get(Kubernetes.class)
                  .kind(V1ConfigMap.class)
                  .inNamespace(STUCK)
                  .toSource())
          .reconciles((request, context) -> {
            hang();
            return Result.done();
          });
    }
  }

  /** Its kind is not installed. */
  public static final class Absent implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Absent() {}

    @Override
    public String name() {
      return ABSENT;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      ResourceType<Unstructured> gadgets =
          ResourceType.unstructured("why.example.com", "v1", "gadgets", "Gadget", true);
      return Controller.named(ABSENT)
          .watches(environment.get(Kubernetes.class).kind(gadgets).toSource())
          .reconciles((request, context) -> Result.done());
    }
  }

  private static void hang() {
    while (true) {
      LockSupport.park();
      Thread.interrupted(); // as one that ignores its cancellation, without computing
    }
  }
}
