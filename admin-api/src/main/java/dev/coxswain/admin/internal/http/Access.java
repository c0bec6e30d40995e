// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.operation.OperationRights;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a route needs the right to.
 *
 * @param resource the resource, or empty when it is enough to be known
 * @param verbs the verb; several when the body says which
 * @param scope where the namespace is found
 */
public record Access(String resource, List<Verb> verbs, Scope scope) {

  public static final String CONTROLLERS = "controllers";
  public static final String ITEMS = "controllers/items";
  public static final String OPERATIONS = "controllers/operations";
  public static final String AUDIT = "audit";
  public static final String LIMITERS = "limiters";
  public static final String REPLICAS = "replicas";

  /** Where the namespace is found. What names none is about all namespaces. */
  public enum Scope {
    /** It has none. */
    CLUSTER("none"),
    /** The parameter {@code namespace}; {@code controller} names one where the address does not. */
    QUERY("query"),
    /** The item that the address names. */
    ITEM("item"),
    /** The field {@code namespace} of the body. */
    BODY("body"),
    /** The selector in the body, which also says which verb it is. */
    SELECTOR("selector"),
    /** The operation that the address names: {@link OperationRights} looks it up. */
    OPERATION("operation");

    private final String label;

    Scope(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** Whoever is known may do it. */
  public static Access anybody() {
    return new Access("", List.of(Verb.GET), Scope.CLUSTER);
  }

  public static Access to(Verb verb, String resource) {
    return new Access(resource, List.of(verb), Scope.CLUSTER);
  }

  public static Access to(Verb verb, String resource, Scope scope) {
    return new Access(resource, List.of(verb), scope);
  }

  /** Acts on many items: a right of its own, by the action. */
  public static Access toOperate() {
    return new Access(
        OPERATIONS,
        List.of(Verb.RETRY, Verb.FORGET, Verb.REQUEUE, Verb.FLUSH, Verb.FLUSHHARD),
        Scope.SELECTOR);
  }

  /** Hears everything that changes, so a right of its own. */
  public static Access toEvents() {
    return to(Verb.LIST, "events");
  }

  public boolean isForAnybody() {
    return resource.isEmpty();
  }

  /** Returns whether the body must have been read to know what is needed. */
  public boolean needsBody() {
    return scope == Scope.BODY || scope == Scope.SELECTOR;
  }

  /**
   * Returns the right that a request needs; throws a {@link Rejection} for an item id that is none.
   * What else is malformed is found by the handler later: a namespace that is not read here as the
   * handler reads it can only be taken for all namespaces, never for another one.
   */
  public AccessRequest of(RequestContext context) {
    String namespace =
        switch (scope) {
          case CLUSTER, OPERATION -> "";
          case QUERY -> orAll(context.query().text("namespace", ItemFilters.MAX_NAME));
          case ITEM -> context.item().namespace();
          case BODY -> named(context.body().peek("/namespace"));
          case SELECTOR -> named(context.body().peek("/selector/namespace"));
        };
    return new AccessRequest(verb(context), resource, namespace, name(context));
  }

  private String name(RequestContext context) {
    String controller = context.param("c");
    if (!controller.isEmpty()) {
      return controller;
    }
    return scope == Scope.QUERY
        ? orAll(context.query().text("controller", ItemFilters.MAX_NAME))
        : context.param("l");
  }

  /** What is longer is no namespace, and is neither asked about nor remembered. */
  private static String named(String namespace) {
    return namespace.length() > ItemFilters.MAX_NAME ? "" : namespace;
  }

  private static String orAll(@Nullable String namespace) {
    return namespace == null ? "" : namespace;
  }

  private Verb verb(RequestContext context) {
    // Without an action it is refused later; what an order without one is read as decides here,
    // too.
    return verbs.size() == 1 ? verbs.getFirst() : ordered(context.body()).orElse(Verb.FORGET);
  }

  /** Returns what an order asks for, if it is one of these verbs. */
  private Optional<Verb> ordered(Body body) {
    return Verb.of(body.peek("/action"))
        .filter(found -> verbs.contains(found) && found != Verb.FLUSHHARD)
        .map(found ->
            found == Verb.FLUSH && body.peek("/then").equals("none") ? Verb.FLUSHHARD : found);
  }

  /**
   * Returns what the audit calls it.
   *
   * @param body what was sent; null when it is not here
   */
  String action(@Nullable Body body) {
    if (verbs.size() == 1) {
      return verbs.getFirst().label();
    }
    return Optional.ofNullable(body)
        .flatMap(this::ordered)
        .map(verb -> "bulk-" + verb.label())
        .orElse("operation");
  }
}
