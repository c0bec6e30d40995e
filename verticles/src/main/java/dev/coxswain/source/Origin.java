// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import java.util.Objects;
import java.util.Set;

/**
 * What led to a request: the change that a source has observed, and the trace that it belongs to.
 *
 * <p>Thread rule: immutable.
 *
 * @param kind the kind of the changed object, such as {@code Deployment}; empty when there is none
 * @param namespace its namespace, empty for none
 * @param name its name, empty when there is none
 * @param changes what changed; empty when that is not known
 * @param writer the controller of this process whose attempt wrote the change; empty when another
 *     client wrote it, or the change was observed before the response to the write
 * @param traceParent the trace of the cause, as the value of the header of W3C Trace Context; empty
 *     without one. Ignored when it is not well-formed
 */
public record Origin(
    String kind,
    String namespace,
    String name,
    Set<Change> changes,
    String writer,
    String traceParent) {

  /** Nothing is known of it. */
  public static final Origin UNKNOWN = new Origin("", "", "", Set.of(), "", "");

  /** What changed of an object. */
  public enum Change {
    /** The object is new. */
    CREATED,
    /** Its deletion was requested, and waits for its finalizers. */
    DELETING,
    /** It is gone. */
    DELETED,
    /** Its specification: the generation has changed. */
    SPEC,
    /** Its labels. */
    LABELS,
    /** Its annotations. */
    ANNOTATIONS,
    /** Its finalizers. */
    FINALIZERS,
    /** Its owner references. */
    OWNERS,
    /** Its status, or for a kind without generations its content. */
    STATUS
  }

  public Origin {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(changes, "changes"); // not copied: one set serves all events
    Objects.requireNonNull(writer, "writer");
    Objects.requireNonNull(traceParent, "traceParent");
  }

  /** Returns whether neither a change nor a trace is known. */
  public boolean isUnknown() {
    return kind.isEmpty() && traceParent.isEmpty();
  }

  /** Returns the origin of a request that a traced cause added, such as a call. */
  public static Origin ofTrace(String traceParent) {
    return traceParent.isEmpty() ? UNKNOWN : new Origin("", "", "", Set.of(), "", traceParent);
  }
}
