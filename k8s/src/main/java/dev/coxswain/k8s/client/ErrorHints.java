// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Hints on failed requests: what to check or to change. */
final class ErrorHints {

  private ErrorHints() {}

  /** Returns a hint in parentheses with a space before it when TLS failed, or nothing. */
  static String on(Throwable cause) {
    return cause instanceof SSLPeerUnverifiedException || cause instanceof SSLHandshakeException
        ? " (check that the certificate-authority is that of this server, and that its"
            + " certificate contains the address)"
        : "";
  }

  /** The parts of an API path; all empty for other paths. */
  private record Target(String group, String namespace, String resource, String name) {

    static Target of(String path) {
      List<String> parts = new ArrayList<>(List.of(path.substring(1).split("/", -1)));
      int prefix = parts.getFirst().equals("api") ? 2 : 3;
      if (parts.size() <= prefix || !(prefix == 2 || parts.getFirst().equals("apis"))) {
        return new Target("", "", "", "");
      }
      String group = prefix == 2 ? "" : parts.get(1);
      List<String> rest = parts.subList(prefix, parts.size());
      String namespace = "";
      if (rest.getFirst().equals("namespaces") && rest.size() > 2) {
        namespace = rest.get(1);
        rest = rest.subList(2, rest.size());
      }
      String resource = rest.size() > 2 ? rest.getFirst() + "/" + rest.get(2) : rest.getFirst();
      return new Target(group, namespace, resource, rest.size() > 1 ? rest.get(1) : "");
    }
  }

  /**
   * Returns a hint in parentheses with a space before it, or nothing.
   *
   * @param method the method of the request
   * @param path its path
   * @param watch whether it was a watch
   * @param code the HTTP status
   * @param reason the reason of the server's Status; empty when it sent none
   * @param message its message; empty when it sent none
   */
  static String on(
      String method, String path, boolean watch, int code, String reason, String message) {
    Target target = Target.of(path);
    if (target.resource.isEmpty()) {
      return code == 401 ? UNKNOWN : "";
    }
    return switch (code) {
      case 401 -> UNKNOWN;
      // Webhooks, quotas and terminating namespaces answer 403, too, with words of their own.
      case 403 -> {
        Matcher refusal = UNAUTHORIZED.matcher(message);
        yield refusal.find()
            // An apply that creates needs another verb than that of its method.
            ? rbac(refusal.group(1), target)
            : message.isEmpty() ? rbac(verb(method, target, watch), target) : "";
      }
      case 404 -> missing(target, reason);
      default -> "";
    };
  }

  /** For an object that does not exist, servers send a Status with a reason. */
  private static String missing(Target target, String reason) {
    String resource =
        target.group.isEmpty() ? target.resource : target.resource + "." + target.group;
    if (reason.isEmpty()) {
      return " (\""
          + resource
          + "\" is not served in this version; check that its CustomResourceDefinition is installed)";
    }
    int slash = target.resource.indexOf('/');
    String subresource = target.resource.substring(slash + 1);
    return slash > 0 && (subresource.equals("status") || subresource.equals("scale"))
        ? " (if the object exists, its resource has no sub-resource \""
            + subresource
            + "\": add it to \"subresources\" in the CustomResourceDefinition)"
        : "";
  }

  /** What an authorizer says, whatever its kind. */
  private static final Pattern UNAUTHORIZED =
      Pattern.compile(" cannot ([a-z]+) (?:resource|path) ");

  private static final String UNKNOWN =
      " (unknown credentials; check whether the token or the client certificate is"
          + " expired or of another cluster)";

  private static String rbac(String verb, Target target) {
    return " (if RBAC refused it: allow the verb \""
        + verb
        + "\" on \""
        + target.resource
        + "\" of API group \""
        + target.group
        + "\""
        + (target.namespace.isEmpty()
            ? " with a ClusterRole"
            : " with a Role in namespace \"" + target.namespace + "\"")
        + ")";
  }

  private static String verb(String method, Target target, boolean watch) {
    return switch (method) {
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      case "DELETE" -> target.name.isEmpty() ? "deletecollection" : "delete";
      default -> watch ? "watch" : target.name.isEmpty() ? "list" : "get";
    };
  }
}
