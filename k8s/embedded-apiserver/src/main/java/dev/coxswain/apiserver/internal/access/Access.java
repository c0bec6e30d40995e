// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Authentication and authorization of requests; confined to the server's event loop. */
public final class Access {
  private static final String MASTERS = "system:masters";
  private static final String AUTHENTICATED = "system:authenticated";
  private static final String RBAC = "rbac.authorization.k8s.io";

  /** The role that a cluster binds to the group of masters. */
  private static final String CLUSTER_ADMIN = "cluster-admin";

  /**
   * A user or service account; immutable.
   *
   * @param name user name
   * @param groups groups
   * @param uid the uid; empty for none
   * @param extra keys and values of other attributes; a key may have several
   */
  public record User(
      String name, List<String> groups, String uid, List<Map.Entry<String, String>> extra) {

    /** Creates a user without further attributes. */
    public User(String name, List<String> groups) {
      this(name, groups, "", List.of());
    }
  }

  /**
   * The user and audiences of a token; immutable.
   *
   * @param user the user
   * @param audiences the audiences of the token; in a response those that were requested
   */
  public record Bearer(User user, List<String> audiences) {}

  /**
   * The attributes of a request that are authorized; immutable.
   *
   * @param verb as in {@code get}
   * @param group API group
   * @param resource plural resource
   * @param subresource subresource, empty = none
   * @param namespace namespace, empty = cluster
   * @param name object, empty = any
   * @param path path outside of resources, empty = a resource
   */
  public record Attributes(
      String verb,
      String group,
      String resource,
      String subresource,
      String namespace,
      String name,
      String path) {
    /** Returns the resource, with its subresource when there is one. */
    public String resourceWithSub() {
      return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }
  }

  /** The user of requests without a token, when there are no tokens. */
  public static final User ADMIN = new User("coxswain-admin", List.of(MASTERS, AUTHENTICATED));

  private static final User ANONYMOUS =
      new User("system:anonymous", List.of("system:unauthenticated"));

  /** The issuer of the tokens, which is the API server itself. */
  static final List<String> API = List.of("https://kubernetes.default.svc");

  private final Map<String, Bearer> tokens;
  private final AccountTokens accounts;
  private final ResourceRegistry registry;
  private final ObjectStore store;
  private final Impersonation impersonation = new Impersonation(this);
  private @Nullable Observer observing;

  /**
   * Creates the guard; without tokens every client is the administrator.
   *
   * @param tokens the users of tokens
   * @param accounts the tokens of service accounts
   */
  public Access(
      Map<String, Bearer> tokens,
      AccountTokens accounts,
      ResourceRegistry registry,
      ObjectStore store) {
    this.tokens = tokens;
    this.accounts = accounts;
    this.registry = registry;
    this.store = store;
  }

  /** Returns the issuer of the tokens of service accounts. */
  public AccountTokens accounts() {
    return accounts;
  }

  /**
   * Returns who sent a request, or the user in whose name it was sent; null when its credentials are
   * not valid.
   *
   * @throws ApiException when the sender may not act as this
   *     user
   */
  public @Nullable User authenticate(MultiMap headers) {
    User sender = sender(headers.get("Authorization"));
    return sender == null ? null : impersonation.of(sender, headers);
  }

  private @Nullable User sender(@Nullable String header) {
    if (tokens.isEmpty()) {
      return ADMIN;
    }
    if (header == null || header.isBlank()) {
      return ANONYMOUS;
    }
    Bearer bearer =
        header.startsWith("Bearer ") ? token(header.substring(7).strip(), List.of()) : null;
    return bearer == null ? null : bearer.user();
  }

  /**
   * Returns the user of a token, or null.
   *
   * @param audiences who wants to take it, one of them is enough; empty for the API server
   */
  public @Nullable Bearer token(String token, List<String> audiences) {
    List<String> takers = audiences.isEmpty() ? API : audiences;
    if (tokens.isEmpty() && token.isEmpty()) {
      return new Bearer(ADMIN, takers);
    }
    Bearer found = tokens.containsKey(token) ? tokens.get(token) : accounts.bearer(token);
    if (found == null) {
      return null;
    }
    List<String> common = takers.stream().filter(found.audiences()::contains).toList();
    if (common.isEmpty()) {
      return null;
    }
    List<String> groups = new ArrayList<>(found.user().groups());
    if (!groups.contains(AUTHENTICATED)) {
      groups.add(AUTHENTICATED);
    }
    return new Bearer(new User(found.user().name(), groups), common);
  }

  /** True when a user may do something, by group or by a role bound to them. */
  public boolean allowed(User user, Attributes wanted) {
    return granting(user, wanted).findAny().isPresent();
  }

  /** The same for the request of a user, which is reported to the observer. */
  public boolean decide(User user, Attributes wanted) {
    Observer observer = observing;
    if (observer == null) {
      return allowed(user, wanted);
    }
    List<String> roles = granting(user, wanted).distinct().toList();
    observer.decided(user, wanted, roles);
    return !roles.isEmpty();
  }

  /** Throws a 403 when a user may not do what a request is for. */
  public void require(User user, Attributes wanted) {
    if (decide(user, wanted)) {
      return;
    }
    ApiException.Names names = new ApiException.Names(wanted.group(), wanted.resource());
    String scope =
        wanted.namespace().isEmpty()
            ? "at the cluster scope"
            : "in the namespace \"" + wanted.namespace() + "\"";
    String name = wanted.name();
    String subject = names.qualified() + (name.isEmpty() ? "" : " \"" + name + "\"");
    throw ApiException.of(
        403,
        "Forbidden",
        "%s is forbidden: User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
            .formatted(
                subject,
                user.name(),
                wanted.verb(),
                wanted.resourceWithSub(),
                wanted.group(),
                scope),
        names.details(name));
  }

  /** Reports each decision about a request from now on; null ends it. */
  public void observe(@Nullable Observer observer) {
    observing = observer;
  }

  /** Receives the decisions about requests, on the event loop. */
  public interface Observer {
    /**
     * A request was allowed or forbidden.
     *
     * @param roles the names of all roles that allow it
     */
    void decided(User user, Attributes wanted, List<String> roles);
  }

  private Stream<String> granting(User user, Attributes wanted) {
    if (user.groups().contains(MASTERS)) {
      return Stream.of(CLUSTER_ADMIN);
    }
    Stream<Grant> everywhere = bound("clusterrolebindings", "", user).stream();
    Stream<Grant> here =
        wanted.namespace().isEmpty()
            ? Stream.empty()
            : Stream.of(wanted.namespace())
                .flatMap(namespace -> bound("rolebindings", namespace, user).stream());
    return Stream.concat(everywhere, here)
        .filter(grant -> covers(grant.rule(), wanted))
        .map(Grant::role);
  }

  /** A rule and the role that has it. */
  private record Grant(String role, JsonNode rule) {}

  /** Returns all rules of a user in a namespace. */
  public List<JsonNode> rules(User user, String namespace) {
    List<JsonNode> rules = new ArrayList<>();
    if (user.groups().contains(MASTERS)) {
      ObjectNode resources = rule("apiGroups", "*");
      resources.putArray("resources").add("*");
      rules.add(resources);
      rules.add(rule("nonResourceURLs", "*"));
    }
    bound("clusterrolebindings", "", user).forEach(grant -> rules.add(grant.rule()));
    bound("rolebindings", namespace, user).forEach(grant -> rules.add(grant.rule()));
    return rules;
  }

  private static ObjectNode rule(String field, String value) {
    ObjectNode rule = Json.object();
    rule.putArray("verbs").add("*");
    rule.putArray(field).add(value);
    return rule;
  }

  private List<Grant> bound(String bindings, String namespace, User user) {
    List<Grant> grants = new ArrayList<>();
    ResourceType type = registry.type(RBAC, bindings);
    if (type == null) {
      return grants;
    }
    for (StoredObject object : store.collection(type).range(namespace).values()) {
      JsonNode binding = object.bareTree();
      if (binding.path("subjects").valueStream().anyMatch(s -> means(s, user))) {
        JsonNode role = binding.path("roleRef");
        role(role, namespace)
            .forEach(rule -> grants.add(new Grant(role.path("name").asText(), rule)));
      }
    }
    return grants;
  }

  private static boolean means(JsonNode subject, User user) {
    String name = subject.path("name").asText();
    return switch (subject.path("kind").asText()) {
      case "User" -> user.name().equals(name);
      case "Group" -> user.groups().contains(name);
      case "ServiceAccount" ->
          user.name()
              .equals("system:serviceaccount:" + subject.path("namespace").asText() + ":" + name);
      default -> false;
    };
  }

  private JsonNode role(JsonNode ref, String namespace) {
    boolean cluster = ref.path("kind").asText().equals("ClusterRole");
    ResourceType type = registry.type(RBAC, cluster ? "clusterroles" : "roles");
    StoredObject role =
        type == null
            ? null
            : store.collection(type).get(cluster ? "" : namespace, ref.path("name").asText());
    return role == null ? Json.array() : role.bareTree().path("rules");
  }

  private static boolean covers(JsonNode rule, Attributes wanted) {
    if (!has(rule.path("verbs"), wanted.verb())) {
      return false;
    }
    if (!wanted.path().isEmpty()) {
      for (JsonNode url : rule.path("nonResourceURLs")) {
        String pattern = url.asText();
        boolean prefix =
            pattern.endsWith("*")
                && wanted.path().startsWith(pattern.substring(0, pattern.length() - 1));
        if (prefix || pattern.equals(wanted.path())) {
          return true;
        }
      }
      return false;
    }
    JsonNode names = rule.path("resourceNames");
    return has(rule.path("apiGroups"), wanted.group())
        && (has(rule.path("resources"), wanted.resourceWithSub())
            || (!wanted.subresource().isEmpty()
                && has(rule.path("resources"), "*/" + wanted.subresource())))
        && (names.isEmpty() || has(names, wanted.name()));
  }

  private static boolean has(JsonNode list, String value) {
    for (JsonNode item : list) {
      if (item.asText().equals("*") || item.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }
}
