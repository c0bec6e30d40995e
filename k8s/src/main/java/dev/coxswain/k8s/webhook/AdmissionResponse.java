// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A decision on a write.
 *
 * <p>Thread rule: immutable; the object of a patch must not be changed any more.
 *
 * @param <T> the class of the objects
 */
public final class AdmissionResponse<T extends KubernetesObject> {

  private static final int FORBIDDEN = 403;
  private static final int MAX_WARNINGS = 32;

  private final boolean allowed;
  private final int code;
  private final String message;
  private final @Nullable T object;
  private final List<String> warnings;

  private AdmissionResponse(
      boolean allowed, int code, String message, @Nullable T object, List<String> warnings) {
    this.allowed = allowed;
    this.code = code;
    this.message = message;
    this.object = object;
    this.warnings = List.copyOf(warnings);
  }

  /** Lets the write pass. */
  public static <T extends KubernetesObject> AdmissionResponse<T> allowed() {
    return new AdmissionResponse<>(true, 0, "", null, List.of());
  }

  /** Denies the write with status 403. */
  public static <T extends KubernetesObject> AdmissionResponse<T> denied(String message) {
    return denied(message, FORBIDDEN);
  }

  /**
   * Denies the write.
   *
   * @param message the reason, shown to the client
   * @param code the HTTP status, 400 to 599
   */
  public static <T extends KubernetesObject> AdmissionResponse<T> denied(String message, int code) {
    if (code < 400 || code > 599) {
      throw new IllegalArgumentException("the status of a denial must be 400 to 599: " + code);
    }
    return new AdmissionResponse<>(
        false, code, Objects.requireNonNull(message, "message"), null, List.of());
  }

  /**
   * Lets the write pass with a changed object; only for mutating webhooks. What differs from the
   * object of the request is changed, and fields that the class does not have are kept.
   */
  public static <T extends KubernetesObject> AdmissionResponse<T> patched(T object) {
    return new AdmissionResponse<>(
        true, 0, "", Objects.requireNonNull(object, "object"), List.of());
  }

  /** Returns the decision with a warning that the client shows; at most 32. */
  public AdmissionResponse<T> warning(String text) {
    List<String> all = new ArrayList<>(warnings);
    if (all.size() < MAX_WARNINGS) {
      all.add(Objects.requireNonNull(text, "text"));
    }
    return new AdmissionResponse<>(allowed, code, message, object, all);
  }

  boolean isAllowed() {
    return allowed;
  }

  int code() {
    return code;
  }

  String message() {
    return message;
  }

  @Nullable T object() {
    return object;
  }

  List<String> warnings() {
    return warnings;
  }
}
