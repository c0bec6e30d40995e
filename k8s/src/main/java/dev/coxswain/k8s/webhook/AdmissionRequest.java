// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A write that the API server has received and not stored yet.
 *
 * <p>Thread rule: immutable, but the objects are the handler's to change.
 *
 * @param operation what is done
 * @param key the name of the object, empty while it is not generated, and its namespace
 * @param newObject the new state; null for a delete
 * @param oldObject the present state; null for a create
 * @param user the client
 * @param dryRun whether nothing will be stored
 * @param <T> the class of the objects
 */
public record AdmissionRequest<T extends KubernetesObject>(
    Operation operation,
    Key key,
    @Nullable T newObject,
    @Nullable T oldObject,
    User user,
    boolean dryRun) {

  /** What a write does. */
  public enum Operation {
    CREATE,
    UPDATE,
    DELETE
  }

  /**
   * The object that is written.
   *
   * @param namespace its namespace, empty for a cluster-scoped object
   * @param name its name, empty while it is not generated
   */
  public record Key(String namespace, String name) {}

  /**
   * The client that writes.
   *
   * @param name the user name
   * @param groups its groups
   */
  public record User(String name, List<String> groups) {
    public User {
      groups = List.copyOf(groups);
    }
  }

  /**
   * Returns the new state.
   *
   * @throws NoSuchElementException for a delete
   */
  public T object() {
    T object = newObject;
    if (object == null) {
      throw new NoSuchElementException("a delete has no new object");
    }
    return object;
  }

  /** Returns the present state; empty for a create. */
  public Optional<T> old() {
    return Optional.ofNullable(oldObject);
  }
}
