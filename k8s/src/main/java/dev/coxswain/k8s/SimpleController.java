// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSelection;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Locale;
import java.util.Objects;

/**
 * A controller in one method, for small jobs: the method changes an object, and what it has changed
 * is sent, also in the status.
 *
 * <pre>{@code
 * public class Greeter extends SimpleController<V1ConfigMap> {
 *   public Greeter() {
 *     super(V1ConfigMap.class, "greet=yes");
 *   }
 *
 *   @Override
 *   protected Result reconcile(V1ConfigMap map) {
 *     map.putDataItem("hello", "Hello " + map.getMetadata().getName());
 *     return Result.done();
 *   }
 * }
 * }</pre>
 *
 * <p>Each event of an object leads to an attempt, which reads the object at the API server: one
 * request, and nothing is sent without a difference. Objects that are being deleted are left out. A
 * controller with other kinds, a finalizer or clients of its own is a {@link ControllerDefinition}.
 *
 * <p>Thread rule: as {@link ControllerDefinition}; {@link #reconcile} runs on a virtual thread,
 * where it may block, one at a time unless {@code concurrency} is configured.
 *
 * @param <T> the class of the objects
 */
public abstract class SimpleController<T extends KubernetesObject> implements ControllerDefinition {

  private final Class<T> type;
  private final String labels;

  /**
   * Creates the definition.
   *
   * @param type the class of the objects
   * @param labels a selector of their labels, such as {@code app=web}; empty for all objects
   */
  protected SimpleController(Class<T> type, String labels) {
    this.type = Objects.requireNonNull(type, "type");
    this.labels = Objects.requireNonNull(labels, "labels");
  }

  /** Returns the name of the class, such as {@code order-mailer} for {@code OrderMailer}. */
  @Override
  public String name() {
    return getClass()
        .getSimpleName()
        .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
        .toLowerCase(Locale.ROOT);
  }

  /**
   * Brings an object to its desired state by changing it. It may run again at any time, and at once
   * when another writer was faster, so it changes only what differs.
   *
   * @param object the object as stored, with changes of its own
   * @return whether and when to run again
   * @throws Exception when it has failed: nothing is sent, and the attempt is repeated after a backoff
   */
  protected abstract Result reconcile(T object) throws Exception;

  @Override
  public final Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSelection<T> all = k8s.kind(type);
    KindSource<T> source = (labels.isEmpty() ? all : all.labels(labels)).toSource();
    Resource<T> objects = k8s.resource(type);
    return Controller.named(name())
        .watches(source)
        .reconciles((request, context) ->
            source.get(request).isPresent() ? attempt(objects, request) : Result.done());
  }

  private Result attempt(Resource<T> objects, Request request) throws Exception {
    Attempt<T> attempt = new Attempt<>(this);
    try {
      objects.modifyWithStatus(request, attempt::change);
    } catch (Failure e) {
      throw e.exception;
    }
    return attempt.result;
  }

  /** The last call of the reconciler: an attempt calls it again after a conflict. */
  private static final class Attempt<T extends KubernetesObject> {
    private final SimpleController<T> controller;
    private Result result = Result.done();

    Attempt(SimpleController<T> controller) {
      this.controller = controller;
    }

    void change(T object) {
      V1ObjectMeta metadata = object.getMetadata();
      if (metadata != null && metadata.getDeletionTimestamp() != null) {
        result = Result.done();
        return;
      }
      try {
        result = controller.reconcile(object);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new Failure(e);
      }
    }
  }

  /** Carries a checked exception through a change. */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Exception exception;

    Failure(Exception exception) {
      super(exception);
      this.exception = exception;
    }
  }
}
