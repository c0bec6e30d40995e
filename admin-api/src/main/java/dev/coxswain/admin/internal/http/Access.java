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
 * The right that a route requires.
 *
 * @param resource the resource, or empty when authentication is enough
 * @param verbs the verb; several when the body decides
 * @param scope the source of the namespace
 */
public record Access(String resource, List<Verb> verbs, Scope scope) {

  public static final String CONTROLLERS = "controllers";
  public static final String ITEMS = "controllers/items";
  public static final String OPERATIONS = "controllers/operations";
  public static final String AUDIT = "audit";
  public static final String LIMITERS = "limiters";
  public static final String REPLICAS = "replicas";
  public static final String SLOTS = "slots";
  public static final String PLUGINS = "plugins";
  public static final String CONFIGURATION = "config";

  /** The source of the namespace. A request without a namespace is for all of them. */
  public enum Scope {
    /** No namespace. */
    CLUSTER("none"),
    /**
     * The parameter {@code namespace}; {@code controller} is the controller if the path has none.
     */
    QUERY("query"),
    /** The item in the path. */
    ITEM("item"),
    /** The field {@code namespace} of the body. */
    BODY("body"),
    /** The selector in the body, which also has the verb. */
    SELECTOR("selector"),
    /**
     * The parameter {@code namespace}. The handler checks the right for each controller, and leaves out
     * those that the caller has no right to.
     */
    EACH("each"),
    /** The operation in the path; {@link OperationRights} looks it up. */
    OPERATION("operation");

    private final String label;

    Scope(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** Permitted to every authenticated caller. */
  public static Access anyCaller() {
    return new Access("", List.of(Verb.GET), Scope.CLUSTER);
  }

  public static Access to(Verb verb, String resource) {
    return new Access(resource, List.of(verb), Scope.CLUSTER);
  }

  public static Access to(Verb verb, String resource, Scope scope) {
    return new Access(resource, List.of(verb), scope);
  }

  /** Changes many items, which requires a right of its own for each action. */
  public static Access toOperate() {
    return new Access(
        OPERATIONS,
        List.of(Verb.RETRY, Verb.FORGET, Verb.REQUEUE, Verb.FLUSH, Verb.FLUSHHARD),
        Scope.SELECTOR);
  }

  /** Reads all changes, which requires a right of its own. */
  public static Access toEvents() {
    return to(Verb.LIST, "events");
  }

  public boolean isForAnyCaller() {
    return resource.isEmpty();
  }

  /** Returns whether the required right depends on the body. */
  public boolean needsBody() {
    return scope == Scope.BODY || scope == Scope.SELECTOR;
  }

  /**
   * Returns the right that a request requires; throws a {@link Rejection} for an invalid item id.
   * Other faults are found by the handler later: an invalid namespace counts as all namespaces
   * here, never as another one.
   */
  public AccessRequest of(RequestContext context) {
    String namespace =
        switch (scope) {
          case CLUSTER, OPERATION, EACH -> "";
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
    if (scope == Scope.QUERY) {
      return orAll(context.query().text("controller", ItemFilters.MAX_NAME));
    }
    String limiter = context.param("l");
    return limiter.isEmpty() ? context.param("p") : limiter;
  }

  /** Returns a namespace; a longer text is none, and must reach neither reviews nor caches. */
  private static String named(String namespace) {
    return namespace.length() > ItemFilters.MAX_NAME ? "" : namespace;
  }

  private static String orAll(@Nullable String namespace) {
    return namespace == null ? "" : namespace;
  }

  private Verb verb(RequestContext context) {
    // A request without an action is refused later; here it counts as the action that it is read
    // as.
    return verbs.size() == 1 ? verbs.getFirst() : requested(context.body()).orElse(Verb.FORGET);
  }

  /** Returns the verb of an operation request, if it is one of these verbs. */
  private Optional<Verb> requested(Body body) {
    return Verb.of(body.peek("/action"))
        .filter(found -> verbs.contains(found) && found != Verb.FLUSHHARD)
        .map(found ->
            found == Verb.FLUSH && body.peek("/then").equals("none") ? Verb.FLUSHHARD : found);
  }

  /**
   * Returns the action in audit records.
   *
   * @param body the body, or null before it has been read
   */
  String action(@Nullable Body body) {
    if (verbs.size() == 1) {
      return verbs.getFirst().label();
    }
    return Optional.ofNullable(body)
        .flatMap(this::requested)
        .map(verb -> "bulk-" + verb.label())
        .orElse("operation");
  }
}
